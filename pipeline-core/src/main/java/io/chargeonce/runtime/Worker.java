package io.chargeonce.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A platform thread that does one pass after another: at once while there is work, after a pause when there was none or
 * the pass failed. A failure is logged and ends nothing.
 */
public final class Worker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Worker.class);

    private final String name;
    private final Duration pause;
    private final IntSupplier pass;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    private Worker(String name, Duration pause, IntSupplier pass) {
        this.name = name;
        this.pause = pause;
        this.pass = pass;
        this.thread = Thread.ofPlatform().name(name).daemon().start(this::run);
    }

    /** @param pass one pass; returns how much it did */
    public static Worker start(String name, Duration pause, IntSupplier pass) {
        return new Worker(name, pause, pass);
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
            return pass.getAsInt();
        } catch (RuntimeException e) {
            log.warn("{}: this pass failed and is repeated in {}: {}", name, pause, e.toString());
            return 0;
        }
    }

    /** Lets the pass under way finish. */
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
