// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often and how soon to send again: exponential, with full jitter, so that clients that failed together do not come back together.
 * The server's Retry-After is a minimum.
 *
 * @param most    sends, the first included
 * @param first   the longest first pause; each next one may be twice as long
 * @param longest the longest pause that jitter may choose, and the longest Retry-After that is obeyed; at most a day
 */
public record Retries(int most, Duration first, Duration longest) {

    public static final Retries USUAL = new Retries(8, Duration.ofMillis(100), Duration.ofSeconds(30));

    public Retries {
        if (most < 1 || !first.isPositive() || longest.compareTo(first) < 0 || longest.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "at least one send, a pause above zero and a longest one that is no shorter, but no longer than a day");
        }
    }

    /** @param sends that were made by now, at least 1 */
    Duration pause(int sends, Optional<Duration> retryAfter, RandomGenerator random) {
        Duration jittered = Duration.ofNanos(random.nextLong(ceiling(sends) + 1));
        return retryAfter.map(asked -> asked.compareTo(longest) > 0 ? longest : asked).map(jittered::plus).orElse(jittered);
    }

    private long ceiling(int sends) {
        long nanos = first.toNanos();
        for (int i = 1; i < sends && nanos < longest.toNanos(); i++) {
            nanos *= 2;
        }
        return Math.min(nanos, longest.toNanos());
    }
}
