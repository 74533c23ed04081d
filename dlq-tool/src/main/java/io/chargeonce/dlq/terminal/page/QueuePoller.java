// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.merge.Watch;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Looks at the queue again and again on a thread of its own, so that keys are answered while Postgres is not. After each
 * look it rests twenty times as long as that took: however much there is to count, somebody who watches keeps Postgres busy
 * for a twentieth of the time at most.
 */
public final class QueuePoller implements AutoCloseable {

    private static final Duration USUAL = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int TIMES_AS_LONG = 20;

    /**
     * @param rest    until the next look
     * @param trouble why this is older than it should be
     */
    public record Seen(Watch watch, Map<String, String> breakers, Duration rest, Optional<String> trouble) {

        private Seen still(String why) {
            return new Seen(watch, breakers, USUAL, Optional.of(why));
        }
    }

    private final DeadLetterQueue queue;
    private final Breakers breakers;
    private final CountDownLatch closed = new CountDownLatch(1);
    // Waiting for a socket, a virtual thread can be interrupted, and so nobody waits for a Postgres that says nothing.
    private final Thread thread = Thread.ofVirtual().name("lookout").unstarted(this::run);
    private volatile Seen latest;

    private QueuePoller(DeadLetterQueue queue, Breakers breakers) {
        this.queue = queue;
        this.breakers = breakers;
        Seen first = look();
        // That it took its time was our own start rather than the queue's length.
        this.latest = new Seen(first.watch, first.breakers, USUAL, Optional.empty());
    }

    /** Has looked once when it returns; what keeps it from that goes to the caller. */
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
        Duration rest = restAfter(Duration.ofNanos(System.nanoTime() - began));
        return new Seen(watch, breakers.states(), rest, Optional.empty());
    }

    public static Duration restAfter(Duration look) {
        Duration rest = look.multipliedBy(TIMES_AS_LONG);
        return rest.compareTo(USUAL) < 0 ? USUAL : rest.compareTo(LONGEST) > 0 ? LONGEST : rest;
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }
}
