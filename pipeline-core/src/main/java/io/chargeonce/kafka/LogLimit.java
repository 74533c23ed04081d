// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.IntConsumer;

/** Lets one message through per interval, so that a broken dependency does not fill the disk. Any thread. */
public final class LogLimit {
    private final InstantSource clock;
    private final Duration interval;
    private Instant next = Instant.MIN;
    private int leftOut;

    public LogLimit(InstantSource clock, Duration interval) {
        this.clock = clock;
        this.interval = interval;
    }

    /** Logs the message, or counts it as left out. The message gets the number of those left out since the last one. */
    public synchronized void ifAllowed(IntConsumer message) {
        Instant now = clock.instant();
        if (now.isBefore(next)) {
            leftOut++;
            return;
        }
        message.accept(leftOut);
        leftOut = 0;
        next = now.plus(interval);
    }
}
