// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.runtime.Rest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads the queue again and again on a thread of its own, so that keys still work while Postgres does not answer. After each read it takes
 * a {@link Rest}.
 */
public final class QueuePoller implements AutoCloseable {

    /**
     * @param rest    until the next look
     * @param trouble why this is older than it should be
     */
    public record Seen(Watch watch, Map<String, String> breakers, Duration rest, Optional<String> trouble) {

        private Seen still(String why) {
            return new Seen(watch, breakers, Rest.SHORTEST, Optional.of(why));
        }
    }

    private final DeadLetterQueue queue;
    private final Breakers breakers;
    private final CountDownLatch closed = new CountDownLatch(1);
    // A virtual thread that waits for a socket can be interrupted, so the screen never waits for a silent Postgres.
    private final Thread thread = Thread.ofVirtual().name("lookout").unstarted(this::run);
    private volatile Seen latest;

    private QueuePoller(DeadLetterQueue queue, Breakers breakers) {
        this.queue = queue;
        this.breakers = breakers;
        Seen first = look();
        // The first read is slow because the process has just started, not because the queue is long.
        this.latest = new Seen(first.watch, first.breakers, Rest.SHORTEST, Optional.empty());
    }

    /** Returns after the first read, and throws what made that fail. */
    public static QueuePoller begin(DeadLetterQueue queue, Breakers breakers) {
        var lookout = new QueuePoller(queue, breakers);
        lookout.thread.start();
        return lookout;
    }

    public Seen latest() {
        return latest;
    }

    private void run() {
        try {
            while (!closed.await(latest.rest.toMillis(), TimeUnit.MILLISECONDS)) {
                runOnce();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runOnce() {
        try {
            latest = look();
        } catch (DatabaseUnavailable e) {
            latest = latest.still("Postgres can't be reached; this is what was known at the time above.");
        } catch (DatabaseRefused e) {
            latest = latest.still("Postgres gives no answer; this is what was known at the time above.");
        }
    }

    private Seen look() {
        long began = System.nanoTime();
        Watch watch = Watch.now(queue);
        Duration rest = Rest.after(Duration.ofNanos(System.nanoTime() - began));
        return new Seen(watch, breakers.states(), rest, Optional.empty());
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
