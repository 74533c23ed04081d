// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Instant;
import java.time.InstantSource;

/**
 * A clock for durations: it begins with the wall clock's time and goes on by the machine's monotonic clock. It never steps, so
 * that a wall clock which is set back or forward makes nothing wait longer or shorter. What it shows may differ from the wall
 * clock later: never compare it with a time from another process. Any thread.
 */
public final class SteadyClock implements InstantSource {
    private final Instant begin = Instant.now();
    private final long beginNanos = System.nanoTime();

    @Override
    public Instant instant() {
        return begin.plusNanos(System.nanoTime() - beginNanos);
    }
}
