// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a service: started in order, and closed once in reverse order, each within a bounded time and all of them within
 * {@link #LONGEST_CLOSE}. It closes itself on SIGTERM or Ctrl-C. Any thread may close it; the thread that created it starts
 * the parts. Several may live in one JVM.
 *
 * <pre>{@code
 * try (Lifecycle lifecycle = new Lifecycle("charge-consumer", Duration.ofSeconds(20))) {
 *     Database database = lifecycle.start("database", () -> Database.open(settings));
 *     lifecycle.start("loop", () -> new RecordLoop(…).start());
 *     lifecycle.awaitShutdown();
 * }
 * }</pre>
 */
public final class Lifecycle implements AutoCloseable {
    /** The supervisor must wait longer than this between SIGTERM and SIGKILL: Compose and Kubernetes wait five minutes. */
    public static final Duration LONGEST_CLOSE = Duration.ofMinutes(4);
    private static final Logger log = LoggerFactory.getLogger(Lifecycle.class);

    private final String service;
    private final Duration timePerPart;
    private final Duration timeForAll;
    private final Deque<Part> lastFirst = new ArrayDeque<>();
    private final Thread hook;
    private final CountDownLatch closed = new CountDownLatch(1);
    private boolean closing;
    private volatile boolean closedWell = true;

    private record Part(String name, Duration toClose, AutoCloseable closeable) {}

    /** @param timePerPart how long the closing of one part may take before the next part is closed */
    public Lifecycle(String service, Duration timePerPart) {
        this(service, timePerPart, LONGEST_CLOSE);
    }

    Lifecycle(String service, Duration timePerPart, Duration timeForAll) {
        this.service = service;
        this.timePerPart = timePerPart;
        this.timeForAll = timeForAll;
        this.hook = new Thread(this::close, service + "-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a part and keeps it for closing. If it fails, the parts already started are closed.
     *
     * @throws StartFailed if the part could not start, or the service is closing
     */
    public <P extends AutoCloseable> P start(String part, Callable<P> starter) {
        return start(part, timePerPart, starter);
    }

    /**
     * The same for a part that needs its own time to close.
     *
     * @param toClose how long its closing may take before the next part is closed
     */
    public <P extends AutoCloseable> P start(String part, Duration toClose, Callable<P> starter) {
        P started;
        try {
            if (isClosing()) {
                throw new IllegalStateException("it is shutting down");
            }
            started = starter.call();
        } catch (Exception reason) {
            close();
            throw new StartFailed(service, part, reason);
        }
        if (!keep(new Part(part, toClose, started))) {
            closeInTime(new Part(part, toClose, started), toClose);
            throw new StartFailed(service, part, new IllegalStateException("it is shutting down"));
        }
        return started;
    }

    /** Returns when everything is closed: whether each part closed without an error and in time. */
    public boolean awaitShutdown() throws InterruptedException {
        closed.await();
        return closedWell;
    }

    /** Returns when everything is closed. A second caller waits for the first. */
    @Override
    public void close() {
        if (beginClosing()) {
            long end = System.nanoTime() + timeForAll.toNanos();
            for (Optional<Part> part = takeLast(); part.isPresent(); part = takeLast()) {
                closeInTime(part.get(), timeFor(part.get(), end));
            }
            forgetHook();
            closed.countDown();
            return;
        }
        try {
            closed.await();
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isClosing() {
        return closing;
    }

    private synchronized boolean beginClosing() {
        boolean first = !closing;
        closing = true;
        return first;
    }

    private synchronized boolean keep(Part part) {
        if (!closing) {
            lastFirst.push(part);
        }
        return !closing;
    }

    private synchronized Optional<Part> takeLast() {
        return Optional.ofNullable(lastFirst.poll());
    }

    /** The time for one part: never more than half of what is left, so that some is left for the next ones. */
    private Duration timeFor(Part part, long end) {
        Duration half = Duration.ofNanos(Math.max(0, end - System.nanoTime())).dividedBy(2);
        return half.compareTo(part.toClose()) < 0 ? half : part.toClose();
    }

    /** On its own thread, so that a part that hangs does not stop the others. */
    private void closeInTime(Part part, Duration atMost) {
        Thread closer = Thread.ofPlatform().daemon().name(service + "-close-" + part.name()).start(() -> {
            try {
                part.closeable().close();
            } catch (Exception reason) {
                closedWell = false;
                log.warn("{}: {} did not close well: {}", service, part.name(), reason.toString());
            }
        });
        try {
            if (!closer.join(atMost)) {
                closedWell = false;
                log.warn("{}: {} did not close within {}; closing goes on without it", service, part.name(), atMost);
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The JVM is ending, and the hook may be running this code.
        }
    }
}
