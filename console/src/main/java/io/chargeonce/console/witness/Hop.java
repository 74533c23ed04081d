// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Instant;

/**
 * One record of a payment's journey.
 *
 * @param at     when the broker took the record
 * @param stage  {@code requests}, {@code retry-1} …, {@code waiting} (in the database alone), {@code dlq}, {@code settled}
 * @param step   the operation and its step: {@code charge/1}; for a dead letter its revision: {@code charge/dead-letter/2}
 * @param tier   0 outside of the tiers
 * @param cause  the failure before this hop, or how it ended; empty if neither
 * @param psp    empty if the record does not say
 */
public record Hop(Instant at, String stage, String step, int tier, String cause, String psp, int partition, long offset) {}
