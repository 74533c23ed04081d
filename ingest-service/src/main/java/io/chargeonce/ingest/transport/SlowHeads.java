// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.transport;

import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/**
 * Ends connections on which a request's line and headers take too long to arrive, from their first byte on, a byte now and
 * then: the web server itself would wait for minutes, or for ever. Called on each connection's thread.
 */
final class SlowHeads implements Http1ConnectionListener {

    @SuppressWarnings("UnnecessaryLambda") // It is compared with.
    private static final Runnable NOTHING_BEGUN = () -> {};

    private final Deadline limit;
    /** Of the connection's own thread, so that it goes with a connection that breaks in between. */
    private final ThreadLocal<Runnable> reading = ThreadLocal.withInitial(() -> NOTHING_BEGUN);

    SlowHeads(Deadline limit) {
        this.limit = limit;
    }

    /** Bytes came of a request whose line is not complete. */
    @SuppressWarnings("ReferenceEquality")
    void begin() {
        if (reading.get() == NOTHING_BEGUN) {
            reading.set(limit.begin());
        }
    }

    /** Also of one that had come together with the request before it. */
    @Override
    public void prologue(ConnectionContext connection, HttpPrologue prologue) {
        begin();
    }

    @Override
    public void headers(ConnectionContext connection, Headers headers) {
        reading.get().run();
        reading.remove();
    }
}
