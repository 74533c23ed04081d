// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.finding;

import java.time.Instant;

/**
 * One line of a payment's timeline.
 *
 * @param at     when, by the source's own clock
 * @param source a table, a place on a topic, or a ledger
 */
public record Event(Instant at, String source, String what) {}
