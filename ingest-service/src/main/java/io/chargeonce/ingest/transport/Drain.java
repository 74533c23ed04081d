// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Whether this process takes requests. When it is to end, it is not ready any more, and those who wait within a request for
 * something that may take long are told to come to an end: each gets its answer, and the connection closes behind it. Any thread.
 */
public final class Drain {

    /** For the requests under way, from then on; the rest of them is cut. Less than a part of a service may take to close. */
    static final Duration LONGEST = Duration.ofSeconds(15);

    private enum State { NOT_OPEN_YET, OPEN, DRAINING }

    private final List<Runnable> waiting = new CopyOnWriteArrayList<>();
    private volatile State state = State.NOT_OPEN_YET;

    /** @param end to be told when it begins; it returns at once */
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
