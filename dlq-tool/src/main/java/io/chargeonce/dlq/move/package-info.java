// SPDX-License-Identifier: Apache-2.0
/**
 * What a merge, a purge and a restore share: the lock on a batch, its audit record, the pace, the brake, and what became of each.
 * May know query.
 */
package io.chargeonce.dlq.move;
