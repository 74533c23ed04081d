// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Whether this process takes requests. When the process shuts down, it is no longer ready, and requests that wait for something long are
 * ended: each gets its answer, and then its connection is closed. Any thread.
 */
public final class Drain {

    /** How long requests under way may still take; then they are cut. Less than a part of a service may take to close. */
    static final Duration LONGEST = Duration.ofSeconds(15);

    private enum State { NOT_OPEN_YET, OPEN, DRAINING }

    private final List<Runnable> waiting = new CopyOnWriteArrayList<>();
    private volatile State state = State.NOT_OPEN_YET;

    /** @param end called when the shutdown begins; it must return at once */
    public void tell(Runnable end) {
        waiting.add(end);
    }

    void open() {
        state = State.OPEN;
    }

    void begin() {
        state = State.DRAINING;
        waiting.forEach(Runnable::run);
    }

    boolean hasBegun() {
        return state == State.DRAINING;
    }

    /** For the readiness check. */
    public Optional<String> problem() {
        return switch (state) {
            case NOT_OPEN_YET -> Optional.of("the service is starting");
            case OPEN -> Optional.empty();
            case DRAINING -> Optional.of("the service is shutting down: it finishes the requests under way and takes no more");
        };
    }
}
