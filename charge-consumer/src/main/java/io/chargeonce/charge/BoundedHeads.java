package io.chargeonce.charge;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs each request of the JDK's server on a virtual thread, and bounds how long and how many of them may be at their request line
 * and headers. The server hands a request over with its first byte and would wait for the others for ever. To interrupt a thread
 * that reads from a connection closes the connection. Any thread.
 */
final class BoundedHeads implements Executor, AutoCloseable {

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Duration patience;
    private final int most;
    /** First the one that has been at it for longest. */
    private final Set<Thread> reading = new LinkedHashSet<>();

    /** @param most when one more comes, the one that has been at it for longest gives way: a PSP's head comes at once */
    BoundedHeads(Duration patience, int most) {
        this.patience = patience;
        this.most = most;
    }

    @Override
    public void execute(Runnable request) {
        threads.execute(() -> {
            Thread reader = Thread.currentThread();
            begin(reader);
            Thread deadline = Thread.ofVirtual().name("webhook-head-deadline").start(() -> endLater(reader));
            try {
                request.run();
            } finally {
                forget(reader);
                deadline.interrupt();
            }
        });
    }

    private synchronized void begin(Thread reader) {
        if (reading.size() >= most) {
            end(reading.iterator().next());
        }
        reading.add(reader);
    }

    private void endLater(Thread reader) {
        try {
            Thread.sleep(patience);
            end(reader);
        } catch (InterruptedException itCame) {
            // Nothing is left to be done.
        }
    }

    private synchronized void end(Thread reader) {
        if (reading.remove(reader)) {
            reader.interrupt();
        }
    }

    private synchronized void forget(Thread reader) {
        reading.remove(reader);
    }

    /**
     * The head of this thread's request is complete: from here on nothing interrupts it.
     *
     * @throws IOException it came too late by a moment, and its connection is closed
     */
    void haveCome() throws IOException {
        forget(Thread.currentThread());
        if (Thread.interrupted()) {
            throw new InterruptedIOException("the request's head came too late");
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
