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
        Thread worker = Thread.currentThread();
        ScheduledFuture<?> alarm = timer.schedule(worker::interrupt, limit.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return work.get();
        } finally {
            if (!alarm.cancel(false)) {
                // It rang, perhaps just after the work was done: nobody else may hear it.
                Thread.interrupted();
            }
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
