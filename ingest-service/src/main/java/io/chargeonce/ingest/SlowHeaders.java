package io.chargeonce.ingest;

import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/**
 * Ends connections whose headers take too long to arrive, a byte now and then: the web server itself would wait for ever.
 * Called by the web server on each connection's thread.
 */
final class SlowHeaders implements Http1ConnectionListener {

    private final Deadline limit;
    /** Of the connection's own thread, so that it goes with a connection that breaks in between. */
    private final ThreadLocal<Runnable> reading = ThreadLocal.withInitial(() -> () -> {});

    SlowHeaders(Deadline limit) {
        this.limit = limit;
    }

    @Override
    public void prologue(ConnectionContext connection, HttpPrologue prologue) {
        reading.set(limit.begin());
    }

    @Override
    public void headers(ConnectionContext connection, Headers headers) {
        reading.get().run();
        reading.remove();
    }
}
