// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Interrupts work that takes too long, such as reading from a client that sends a byte now and then, or writing to a client that reads
 * nothing. The web server has no time limit for either, and an interrupted read or write closes its connection. The deadline is checked
 * ten times within the limit, so work may take a tenth longer. Any thread.
 */
public final class Deadline implements AutoCloseable {

    private static final int LOOKS = 10;

    private final Duration limit;
    private final Set<Alarm> alarms = ConcurrentHashMap.newKeySet();
    private final Worker worker;

    public Deadline(Duration limit) {
        this.limit = limit;
        this.worker = Worker.start("http-deadline", limit.dividedBy(LOOKS), this::runOnce);
    }

    /** @param of what is limited, as a person reads it when the service ends */
    public static Deadline start(Lifecycle lifecycle, String of, Duration limit) {
        return lifecycle.start("deadline of " + of, () -> new Deadline(limit));
    }

    public <T> T within(Supplier<T> work) {
        Runnable end = begin();
        try {
            return work.get();
        } finally {
            end.run();
        }
    }

    /** For work that begins in one call and ends in another, on one thread: the caller must end it. */
    public Runnable begin() {
        var alarm = new Alarm(Thread.currentThread(), System.nanoTime() + limit.toNanos());
        alarms.add(alarm);
        return () -> {
            alarms.remove(alarm);
            alarm.off();
        };
    }

    /** Always 0: the next check is never urgent. */
    private int runOnce() {
        long now = System.nanoTime();
        alarms.removeIf(alarm -> alarm.rang(now));
        return 0;
    }

    /** Removal from the set does not wait for an interrupt under way; {@link #off} does. */
    private static final class Alarm {
        private final Thread worker;
        private final long due;
        private boolean rang;
        private boolean off;

        Alarm(Thread worker, long due) {
            this.worker = worker;
            this.due = due;
        }

        synchronized boolean rang(long now) {
            if (!off && now - due >= 0) {
                rang = true;
                worker.interrupt();
            }
            return rang;
        }

        /** Called by the worker. It clears an interrupt that was meant for this work, so that the next work does not see it. */
        synchronized void off() {
            off = true;
            if (rang) {
                Thread.interrupted();
            }
        }
    }

    @Override
    public void close() {
        worker.close();
    }
}
