// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;

/**
 * How many records may become work now, so that a million which are due at once come out as a stream and not as a flood.
 * What is not used within a tenth of a second is gone. Guarded by its owner.
 */
final class ReleaseRate {
    private static final Duration LARGEST_GULP = Duration.ofMillis(100);

    private final double perNano;
    private final double mostAtOnce;
    private double allowed;
    private Instant countedUntil = Instant.MIN;

    /** @param perSecond at least 1 */
    ReleaseRate(int perSecond) {
        this.perNano = perSecond / 1e9;
        this.mostAtOnce = Math.max(1, perNano * LARGEST_GULP.toNanos());
    }

    int allowedAt(Instant now) {
        Duration passed = countedUntil.equals(Instant.MIN) ? LARGEST_GULP : Duration.between(countedUntil, now);
        // A clock that steps back must not stop the stream, nor a long pause let a flood through.
        double more = passed.compareTo(LARGEST_GULP) > 0 || passed.isNegative() ? mostAtOnce : perNano * passed.toNanos();
        allowed = Math.min(mostAtOnce, allowed + more);
        countedUntil = now;
        return (int) allowed;
    }

    void used(int records) {
        allowed -= records;
    }
}
