// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The wall clock of a process, off by as many milliseconds as a file says. Our classes ask it in place of the system's, see
 * {@link ClockWeaving}; what they measure with the monotonic clock stays right. Any thread.
 */
public final class ShiftedClock {

    private static final Path FILE = Path.of(System.getProperty("chargeonce.clock", "none"));
    private static final long LOOK_EVERY_MILLIS = 20;
    private static volatile long shift = read();

    static {
        Thread.ofPlatform().daemon().name("shifted-clock").start(() -> {
            while (true) {
                try {
                    Thread.sleep(LOOK_EVERY_MILLIS);
                } catch (InterruptedException ended) {
                    return;
                }
                shift = read();
            }
        });
    }

    private ShiftedClock() {}

    private static long read() {
        try {
            return Files.exists(FILE) ? Long.parseLong(Files.readString(FILE)) : 0;
        } catch (IOException takenAway) {
            return 0;
        }
    }

    public static long currentTimeMillis() {
        return System.currentTimeMillis() + shift;
    }

    public static Instant now() {
        return Instant.now().plusMillis(shift);
    }

    public static InstantSource system() {
        return ShiftedClock::now;
    }

    public static Clock systemUTC() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                throw new UnsupportedOperationException("Bug! No class of ours asks for that");
            }

            @Override
            public Instant instant() {
                return now();
            }
        };
    }
}
