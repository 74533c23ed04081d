// SPDX-License-Identifier: Apache-2.0
/**
 * What a check can find: the invariants, a violation of one, the printed counts, and the events of a payment's history.
 * Knows nothing of where it was read.
 */
package io.chargeonce.checker.finding;
