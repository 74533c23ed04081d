// SPDX-License-Identifier: Apache-2.0
/**
 * What one person proposes and another approves: runs above the owner's limits, and what a person found out about a payment.
 * May know the root only.
 */
package io.chargeonce.dlq.approval;
