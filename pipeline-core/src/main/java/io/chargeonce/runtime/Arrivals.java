// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import com.sun.net.httpserver.HttpExchange;
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
 * Runs each request of the JDK's server on its own thread. Limits how long, and how many, requests wait for their client: for the rest of
 * the request, or until the client reads the answer. The server hands a request over with its first byte and would wait for the rest for
 * ever. When one request too many waits, the one that has waited longest is ended: an honest client sends its request in one piece.
 * Interrupting a thread that reads from a connection, or writes to it, closes the connection. Any thread.
 */
public final class Arrivals implements Executor, AutoCloseable {

    public static final String TOO_SLOW = "too_slow";
    public static final String TOO_MANY_ARRIVE = "too_many_arrive";

    private static final int CONNECTIONS = 1_000;
    private static final String MOST_CONNECTIONS = "jdk.httpserver.maxConnections";

    /**
     * Limits the connections of each of the JDK's servers. Otherwise silent connections, which it closes only after 30 s, could use up the
     * sockets that Kafka and Postgres need. The JDK has only a system property for it and reads it with its first server, so this is called
     * before that.
     */
    public static void boundConnections() {
        if (System.getProperty(MOST_CONNECTIONS) == null) {
            System.setProperty(MOST_CONNECTIONS, Integer.toString(CONNECTIONS));
        }
    }

    /**
     * A connection carries one request. The JDK's server reads odd lengths, chunks and lines in its own way, so what it takes for a second
     * request may be part of the first.
     */
    public static void endConnection(HttpExchange exchange) {
        exchange.getResponseHeaders().set("Connection", "close");
    }

    private final ThreadFactory threads;
    private final Duration patience;
    private final int most;
    private final Consumer<String> refused;
    private final ScheduledThreadPoolExecutor deadlines;
    /** The one that has waited longest comes first. */
    private final Map<Thread, Future<?>> waiting = new LinkedHashMap<>();

    /** Each request on a virtual thread. */
    public static Arrivals onVirtualThreads(String name, Duration patience, int most, Consumer<String> refused) {
        return new Arrivals(Thread.ofVirtual().name(name, 0).factory(), patience, most, refused);
    }

    /** Each request on a platform thread, which works even when virtual threads are stuck. */
    static Arrivals onPlatformThreads(String name, Duration patience, int most) {
        return new Arrivals(Thread.ofPlatform().daemon().name(name, 0).factory(), patience, most, reason -> {});
    }

    /**
     * @param patience how long a whole request may take to arrive, and then its answer to be read, where that is watched
     * @param refused  called with the reason when a client is no longer waited for
     */
    private Arrivals(ThreadFactory threads, Duration patience, int most, Consumer<String> refused) {
        this.threads = threads;
        this.patience = patience;
        this.most = most;
        this.refused = refused;
        // Not a virtual thread: it must work even when those are stuck.
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
        // A thread that waits again gets the full time again, and a place behind the others.
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
     * The request of this thread has arrived as far as it is needed; from here on nothing interrupts it.
     *
     * @throws IOException it came slightly too late, and its connection is closed
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
