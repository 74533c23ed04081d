// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proxy;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The faults of every connection of a proxy. Immutable.
 *
 * @param down           no connection gets through, and open ones are closed
 * @param latency        each piece is held back so long, in each direction
 * @param bytesPerSecond at most, per connection and direction
 * @param slice          pieces are cut to so many bytes
 * @param stalled        connections stay open and nothing moves, in these directions
 * @param limit          after so many bytes in one direction the connection is reset
 * @param closeDelay     an end of the stream is passed on so much later
 */
public record Conditions(boolean down, Duration latency, OptionalLong bytesPerSecond, OptionalInt slice, Stalled stalled,
        OptionalLong limit, Optional<Duration> closeDelay) {

    public static Conditions fair() {
        return new Conditions(false, Duration.ZERO, OptionalLong.empty(), OptionalInt.empty(), Stalled.NEITHER, OptionalLong.empty(),
                Optional.empty());
    }

    public static Conditions unreachable() {
        return new Conditions(true, Duration.ZERO, OptionalLong.empty(), OptionalInt.empty(), Stalled.NEITHER, OptionalLong.empty(),
                Optional.empty());
    }

    /** Which way nothing moves. */
    public enum Stalled {
        NEITHER, REQUESTS, ANSWERS, BOTH;

        boolean has(boolean answers) {
            return this == BOTH || this == (answers ? ANSWERS : REQUESTS);
        }
    }

    public static Conditions silent() {
        return stalled(Stalled.BOTH);
    }

    public static Conditions stalled(Stalled way) {
        return new Conditions(false, Duration.ZERO, OptionalLong.empty(), OptionalInt.empty(), way, OptionalLong.empty(),
                Optional.empty());
    }

    public Conditions latency(Duration time) {
        return new Conditions(down, time, bytesPerSecond, slice, stalled, limit, closeDelay);
    }

    public Conditions bytesPerSecond(long bytes) {
        return new Conditions(down, latency, OptionalLong.of(bytes), slice, stalled, limit, closeDelay);
    }

    public Conditions slice(int bytes) {
        return new Conditions(down, latency, bytesPerSecond, OptionalInt.of(bytes), stalled, limit, closeDelay);
    }

    public Conditions limit(long bytes) {
        return new Conditions(down, latency, bytesPerSecond, slice, stalled, OptionalLong.of(bytes), closeDelay);
    }

    public Conditions closeDelay(Duration time) {
        return new Conditions(down, latency, bytesPerSecond, slice, stalled, limit, Optional.of(time));
    }
}
