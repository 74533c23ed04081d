// SPDX-License-Identifier: Apache-2.0
/**
 * What waits in the retry tiers: lists it, has it tried now, and stops it. None of it is dead, and none has an open attempt.
 * May know the root, query and move.
 */
package io.chargeonce.dlq.waiting;
