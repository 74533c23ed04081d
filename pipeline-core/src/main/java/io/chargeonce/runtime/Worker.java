// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A platform thread that runs one pass after another: at once while there is work, after a pause when there was none or the pass failed. A
 * failure, even an {@link Error}, is logged and counted and does not end the thread; one that lasts is a health problem.
 */
public final class Worker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    /** A single pass during a Postgres outage is not yet a lasting problem. */
    private static final Duration LASTS_FROM = Duration.ofMinutes(1);

    private record Failing(long sinceNanos, int passes, String why) {}

    private final String name;
    private final Duration pause;
    private final Duration lastsFrom;
    private final IntSupplier pass;
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile Optional<Counter> failures = Optional.empty();
    private final Thread thread;
    private volatile Optional<Failing> failing = Optional.empty();

    private Worker(String name, Duration pause, Duration lastsFrom, IntSupplier pass) {
        this.name = name;
        this.pause = pause;
        this.lastsFrom = lastsFrom;
        this.pass = pass;
        this.thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }

    /** @param pass one pass; returns how many items it processed */
    public static Worker start(String name, Duration pause, IntSupplier pass) {
        return start(name, pause, LASTS_FROM, pass);
    }

    /** @param lastsFrom how long failures must last to be a problem */
    static Worker start(String name, Duration pause, Duration lastsFrom, IntSupplier pass) {
        return new Worker(name, pause, lastsFrom, pass);
    }

    private void run() {
        try {
            while (closing.getCount() > 0) {
                if (runOnce() == 0) {
                    closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private int runOnce() {
        try {
            int done = pass.getAsInt();
            failing = Optional.empty();
            return done;
        } catch (RuntimeException | Error e) {
            failures.ifPresent(Counter::increment);
            failing = Optional.of(new Failing(failing.map(Failing::sinceNanos).orElseGet(System::nanoTime),
                    failing.map(Failing::passes).orElse(0) + 1, e.toString()));
            log(e);
            return 0;
        }
    }

    private void log(Throwable failure) {
        if (failure instanceof Error) {
            log.error("{}: this pass ended with an error and is repeated in {}", name, pause, failure);
        } else {
            log.warn("{}: this pass failed and is repeated in {}: {}", name, pause, failure.toString());
        }
    }

    /** Counts its failed passes from now on. All workers of one name in a process share one meter. */
    public Worker countedBy(MeterRegistry meters) {
        failures = Optional.of(Counter.builder("chargeonce.worker.failures")
                .description("Passes of a background worker that failed").tag("worker", name).register(meters));
        return this;
    }

    public String name() {
        return name;
    }

    /** What is wrong with it, in one line: its passes have failed for a minute, or its thread has ended. Any thread. */
    public Optional<String> problem() {
        return standstill().or(() -> failing
                .filter(one -> System.nanoTime() - one.sinceNanos >= lastsFrom.toNanos())
                .map(one -> "%d passes have failed in %d s: %s".formatted(one.passes,
                        Duration.ofNanos(System.nanoTime() - one.sinceNanos).toSeconds(), one.why)));
    }

    /** Why it will not recover by itself, in one line; empty while its thread lives. Any thread. */
    public Optional<String> standstill() {
        return thread.isAlive() || closing.getCount() == 0 ? Optional.empty() : Optional.of("its thread has ended");
    }

    /** Lets the current pass finish. */
    @Override
    public void close() {
        closing.countDown();
        try {
            thread.join();
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
    }
}
