// SPDX-License-Identifier: Apache-2.0
/**
 * The command for records that the broker refuses.
 * May know refused, options and screen.
 */
package io.chargeonce.dlq.terminal.refused;
