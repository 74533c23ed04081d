// SPDX-License-Identifier: Apache-2.0
/**
 * The dead-letter queue as people work on it: where it is, who changes it, and sums of money. The rooms below do the work.
 * Knows none of its rooms: they all stand on it, in the order query, move and story, purge and topic, merge, json, input and words, terminal.
 */
package io.chargeonce.dlq;
