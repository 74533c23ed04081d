// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Instant;
import java.time.InstantSource;

/**
 * A clock for durations: it starts with the wall clock's time and continues by the machine's monotonic clock. It never jumps, so a change
 * of the wall clock makes no wait longer or shorter. Later it may differ from the wall clock: never compare it with a time from another
 * process. Any thread.
 */
public final class SteadyClock implements InstantSource {
    private final Instant begin = Instant.now();
    private final long beginNanos = System.nanoTime();

    @Override
    public Instant instant() {
        return begin.plusNanos(System.nanoTime() - beginNanos);
    }
}
