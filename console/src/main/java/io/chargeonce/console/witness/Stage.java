// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Instant;

/**
 * Conservation of one stage, kind of operation and currency: what came in has gone out, or is in flight. Money in minor units.
 *
 * @param name         {@code accepted}, {@code requests}, {@code retry-1} …, {@code dlq}, {@code settled}
 * @param kind         {@code charge}; {@code refund} for all that gives money back; empty for a record whose operation is not known
 * @param difference   what came in and is neither out nor in flight
 * @param differsSince null while there is no difference
 */
public record Stage(String name, String kind, String currency, long in, long inMoney, long out, long outMoney, long inFlight,
        long inFlightMoney, long difference, long differenceMoney, Instant differsSince) {}
