// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * How many requests a second each merchant may send to this process; a line of a batch counts as one. After a quiet time a merchant may
 * send a second's worth at once. Any thread.
 */
public final class RateLimits {

    /** @param spent of a second's worth; falls with time */
    private record Bucket(double spent, Instant at) {

        Bucket drained(Instant now, int perSecond) {
            double elapsed = Math.max(0, Duration.between(at, now).toNanos() / 1e9);
            return new Bucket(Math.max(0, spent - elapsed * perSecond), now);
        }
    }

    /** Checks a second of one waiting line. */
    private static final int MOST_LOOKS = 100;

    private final InstantSource clock;
    private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();

    public RateLimits(InstantSource clock) {
        this.clock = clock;
    }

    /** Whether this request is still within the merchant's limit; if so it counts. */
    boolean admits(Merchant merchant) {
        return merchant.requestsPerSecond().map(perSecond -> take(merchant.id(), perSecond)).orElse(true);
    }

    /** The same for a line of a batch, which is not refused but waits. Returns early when interrupted. */
    public void await(Merchant merchant) {
        while (!admits(merchant) && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos() / Math.min(merchant.requestsPerSecond().orElseThrow(), MOST_LOOKS));
        }
    }

    /** The merchant comes from a valid credential, so there are no more buckets than merchants. */
    private boolean take(String merchant, int perSecond) {
        boolean[] admitted = new boolean[1];
        buckets.compute(merchant, (id, bucket) -> {
            Bucket now = bucket == null ? new Bucket(0, clock.instant()) : bucket.drained(clock.instant(), perSecond);
            admitted[0] = now.spent() + 1 <= perSecond;
            return admitted[0] ? new Bucket(now.spent() + 1, now.at()) : now;
        });
        return admitted[0];
    }
}
