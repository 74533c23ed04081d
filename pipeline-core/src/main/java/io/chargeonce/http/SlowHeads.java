// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/**
 * Closes connections on which a request's line and headers take too long to arrive, counted from their first byte. The web server itself
 * would wait for minutes, or for ever. Called on each connection's thread.
 */
final class SlowHeads implements Http1ConnectionListener {

    @SuppressWarnings("UnnecessaryLambda") // It is compared with.
    private static final Runnable NOTHING_BEGUN = () -> {};

    private final Deadline limit;
    /** Kept with the connection's own thread, so that it goes when the connection breaks. */
    private final ThreadLocal<Runnable> reading = ThreadLocal.withInitial(() -> NOTHING_BEGUN);

    SlowHeads(Deadline limit) {
        this.limit = limit;
    }

    /** Bytes of a request arrived, and its line is not complete. */
    @SuppressWarnings("ReferenceEquality")
    void begin() {
        if (reading.get() == NOTHING_BEGUN) {
            reading.set(limit.begin());
        }
    }

    /** Also for a request that arrived together with the one before it. */
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
