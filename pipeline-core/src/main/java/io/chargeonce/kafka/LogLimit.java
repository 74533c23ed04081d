// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.IntConsumer;

/** Lets one message through per interval, so that a broken dependency does not fill the disk. Any thread may call it. */
public final class LogLimit {
    private final InstantSource clock;
    private final Duration interval;
    private Instant next = Instant.MIN;
    private int unsaid;

    public LogLimit(InstantSource clock, Duration interval) {
        this.clock = clock;
        this.interval = interval;
    }

    /** Runs the message, giving it the number of those left out since the last, or leaves it out. */
    public synchronized void ifAllowed(IntConsumer message) {
        Instant now = clock.instant();
        if (now.isBefore(next)) {
            unsaid++;
            return;
        }
        message.accept(unsaid);
        unsaid = 0;
        next = now.plus(interval);
    }
}
