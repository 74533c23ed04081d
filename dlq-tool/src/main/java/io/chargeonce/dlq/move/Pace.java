// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import java.time.Duration;
import java.util.OptionalInt;

/** How fast a run may go: at most so many dead letters a second, evenly, in batches no larger than a second's worth. */
public record Pace(OptionalInt perSecond) {

    public Pace {
        if (perSecond.isPresent() && perSecond.getAsInt() < 1) {
            throw new IllegalArgumentException("a rate is at least 1 per second");
        }
    }

    /** Twice as fast, up to a limit if there is one. */
    public Pace doubled(OptionalInt limit) {
        return perSecond.isEmpty() ? this
                : new Pace(OptionalInt.of((int) Math.min(limit.orElse(Integer.MAX_VALUE), perSecond.getAsInt() * 2L)));
    }

    public int batch(int largest) {
        return Math.min(largest, perSecond.orElse(largest));
    }

    /** When the next batch is due, counted from the run's beginning. */
    public Duration dueAfter(long done) {
        return perSecond.isEmpty() ? Duration.ZERO : Duration.ofNanos(done * 1_000_000_000L / perSecond.getAsInt());
    }
}
