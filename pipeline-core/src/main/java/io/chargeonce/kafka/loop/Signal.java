// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Lets the poll thread rest until something changed. Several raises before an await count as one. */
final class Signal {
    private final Semaphore raised = new Semaphore(0);

    /** Any thread. */
    void raise() {
        raised.release();
    }

    /** Returns when the signal was raised since the last call, or when the time is over. One thread only. */
    void await(Duration atMost) throws InterruptedException {
        if (raised.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
            raised.drainPermits();
        }
    }
}
