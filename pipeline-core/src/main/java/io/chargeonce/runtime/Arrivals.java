// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs each request of the JDK's server on a thread of its own, and bounds how long and how many of them wait for their client: for
 * the rest of the request, or until it takes its answer. The server hands a request over with its first byte and would wait for the
 * others for ever. When one more comes than may wait, the one that has waited for longest gives way: an honest client's request
 * comes in one piece. To interrupt a thread that reads from a connection, or writes to it, closes the connection. Any thread.
 */
public final class Arrivals implements Executor, AutoCloseable {

    public static final String TOO_SLOW = "too_slow";
    public static final String TOO_MANY_ARRIVE = "too_many_arrive";

    private static final int CONNECTIONS = 1_000;
    private static final String MOST_CONNECTIONS = "jdk.httpserver.maxConnections";

    /**
     * How many connections each of the JDK's servers holds: else silent ones, which it closes after 30 s, could take the sockets that
     * Kafka and Postgres need. The JDK has no other way to say it, and reads it with its first server, so it is called before that.
     */
    public static void boundConnections() {
        if (System.getProperty(MOST_CONNECTIONS) == null) {
            System.setProperty(MOST_CONNECTIONS, Integer.toString(CONNECTIONS));
        }
    }

    private final ThreadFactory threads;
    private final Duration patience;
    private final int most;
    private final Consumer<String> refused;
    private final ScheduledThreadPoolExecutor deadlines;
    /** First the one that has waited for longest. */
    private final Map<Thread, Future<?>> waiting = new LinkedHashMap<>();

    /** Each request on a virtual thread. */
    public static Arrivals onVirtualThreads(String name, Duration patience, int most, Consumer<String> refused) {
        return new Arrivals(Thread.ofVirtual().name(name, 0).factory(), patience, most, refused);
    }

    /** Each request on a thread of the platform, which works also where virtual ones are stuck. */
    static Arrivals onPlatformThreads(String name, Duration patience, int most) {
        return new Arrivals(Thread.ofPlatform().daemon().name(name, 0).factory(), patience, most, reason -> {});
    }

    /**
     * @param patience for a whole request to arrive; and again for its answer to be taken, where that is watched
     * @param refused  is told why a client was not waited for any longer
     */
    private Arrivals(ThreadFactory threads, Duration patience, int most, Consumer<String> refused) {
        this.threads = threads;
        this.patience = patience;
        this.most = most;
        this.refused = refused;
        // Not a virtual one: it must ring also where those do not move.
        this.deadlines = new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("arrivals-deadline").factory());
        deadlines.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void execute(Runnable request) {
        threads.newThread(() -> {
            awaitClient();
            try {
                request.run();
            } finally {
                forget(Thread.currentThread());
            }
        }).start();
    }

    /** From here on this thread waits for its client. */
    public synchronized void awaitClient() {
        Thread waiter = Thread.currentThread();
        if (deadlines.isShutdown()) {
            waiter.interrupt();
            return;
        }
        // Who waits once more has all of the time again, and its place behind the others.
        forget(waiter);
        if (waiting.size() >= most) {
            end(waiting.keySet().iterator().next(), TOO_MANY_ARRIVE);
        }
        waiting.put(waiter, deadlines.schedule(() -> end(waiter, TOO_SLOW), patience.toNanos(), TimeUnit.NANOSECONDS));
    }

    private synchronized void end(Thread waiter, String why) {
        Future<?> deadline = waiting.remove(waiter);
        if (deadline != null) {
            deadline.cancel(false);
            waiter.interrupt();
            refused.accept(why);
        }
    }

    private synchronized void forget(Thread waiter) {
        Future<?> deadline = waiting.remove(waiter);
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    /**
     * The request of this thread has arrived as far as it is wanted: from here on nothing interrupts it.
     *
     * @throws IOException it came too late by a moment, and its connection is closed
     */
    public void arrived() throws IOException {
        forget(Thread.currentThread());
        if (Thread.interrupted()) {
            throw new InterruptedIOException("the request came too late");
        }
    }

    @Override
    public synchronized void close() {
        deadlines.shutdownNow();
        waiting.keySet().forEach(Thread::interrupt);
    }
}
