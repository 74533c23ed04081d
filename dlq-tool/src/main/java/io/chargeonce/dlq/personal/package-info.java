// SPDX-License-Identifier: Apache-2.0
/**
 * What needs a right of its own because it is personal: a look without masks, and erasure on request.
 * May know query.
 */
package io.chargeonce.dlq.personal;
