package io.chargeonce.ingest;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Interrupts work that takes too long, such as reading from somebody who sends a byte now and then: the web server has no
 * time limit for a body, and an interrupted read closes its connection. Any thread.
 */
final class Deadline implements AutoCloseable {

    private final Duration limit;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("ingest-deadline").daemon().factory());

    Deadline(Duration limit) {
        this.limit = limit;
        timer.setRemoveOnCancelPolicy(true);
    }

    <T> T within(Supplier<T> work) {
        Runnable end = begin();
        try {
            return work.get();
        } finally {
            end.run();
        }
    }

    /** For work that begins in one call and ends in another, on one thread: the caller must end it. */
    Runnable begin() {
        var alarm = new Alarm(Thread.currentThread());
        ScheduledFuture<?> scheduled = timer.schedule(alarm::ring, limit.toMillis(), TimeUnit.MILLISECONDS);
        return () -> {
            alarm.off();
            scheduled.cancel(false);
        };
    }

    /** Cancelling what is scheduled does not wait for a ring under way; this does. */
    private static final class Alarm {
        private final Thread worker;
        private boolean rang;
        private boolean off;

        Alarm(Thread worker) {
            this.worker = worker;
        }

        synchronized void ring() {
            if (!off) {
                rang = true;
                worker.interrupt();
            }
        }

        /** By the worker: nobody else may hear a ring that was meant for this work. */
        synchronized void off() {
            off = true;
            if (rang) {
                Thread.interrupted();
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
