// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.time.Duration;

/** Pauses that double from the first to the longest. Immutable. */
public record Backoff(Duration first, Duration longest) {
    private static final int MOST_DOUBLINGS = 20;

    public Backoff {
        if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("A backoff from " + first + " to " + longest + " is impossible");
        }
    }

    /** The pause after the given number of failures in a row, which is at least one. */
    public Duration after(int failures) {
        Duration pause = first.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
        return pause.compareTo(longest) < 0 ? pause : longest;
    }
}
