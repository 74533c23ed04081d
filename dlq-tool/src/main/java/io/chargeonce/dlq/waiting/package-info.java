// SPDX-License-Identifier: Apache-2.0
/**
 * What waits in the retry tiers, and for its next presentation. None of it is dead, and none has an open attempt.
 * May know the root and query.
 */
package io.chargeonce.dlq.waiting;
