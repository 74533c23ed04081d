// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;

/**
 * Limits how many records start per second, so that a million records that become due at once run as a stream and not as a flood. Unused
 * allowance expires after a tenth of a second. Guarded by its owner.
 */
final class ReleaseRate {
    private static final Duration LARGEST_BURST = Duration.ofMillis(100);

    private final double perNano;
    private final double mostAtOnce;
    private double allowed;
    private Instant countedUntil = Instant.MIN;

    /** @param perSecond at least 1 */
    ReleaseRate(int perSecond) {
        this.perNano = perSecond / 1e9;
        this.mostAtOnce = Math.max(1, perNano * LARGEST_BURST.toNanos());
    }

    int allowedAt(Instant now) {
        Duration passed = countedUntil.equals(Instant.MIN) ? LARGEST_BURST : Duration.between(countedUntil, now);
        // A clock that jumps back must not stop the stream, and a long pause must not let a flood through.
        double more = passed.compareTo(LARGEST_BURST) > 0 || passed.isNegative() ? mostAtOnce : perNano * passed.toNanos();
        allowed = Math.min(mostAtOnce, allowed + more);
        countedUntil = now;
        return (int) allowed;
    }

    void used(int records) {
        allowed -= records;
    }
}
