// SPDX-License-Identifier: Apache-2.0
/**
 * Takes dead letters out of the queue for good, or brings purged ones back; cancels payments wherever they stand. Charges nothing.
 * May know query and move.
 */
package io.chargeonce.dlq.purge;
