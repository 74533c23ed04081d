package io.chargeonce.charge;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.runtime.Address;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Where PSPs send their webhooks, {@code POST /v1/webhooks/<psp>}, each on a virtual thread. Put a proxy with TLS in front of it.
 * What is answered with 2xx is recorded; anything else the PSP sends again.
 */
final class WebhookServer implements AutoCloseable {

    private static final String PATH = "/v1/webhooks/";
    private static final int LARGEST = 256 * 1024;
    private static final int AT_ONCE = 100;
    private static final int HEADS_AT_ONCE = 500;
    private static final int CONNECTIONS = 1_000;
    private static final String MOST_CONNECTIONS = "jdk.httpserver.maxConnections";

    static {
        // The JDK has no other way to say it, and reads it once. Else silent ones could take the sockets that Kafka and Postgres need.
        if (System.getProperty(MOST_CONNECTIONS) == null) {
            System.setProperty(MOST_CONNECTIONS, Integer.toString(CONNECTIONS));
        }
    }

    /** A head or a body that comes slower is not waited for: each holds a place. */
    record Patience(Duration forAHead, Duration forABody) {
        static final Patience USUAL = new Patience(Duration.ofSeconds(10), Duration.ofSeconds(10));
    }

    private static final int FORGED = 401;

    private final WebhookInbox inbox;
    private final HttpServer server;
    private final BoundedHeads heads;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Duration forABody;

    private WebhookServer(WebhookInbox inbox, Patience patience, HttpServer server) {
        this.inbox = inbox;
        this.heads = new BoundedHeads(patience.forAHead, HEADS_AT_ONCE);
        this.forABody = patience.forABody;
        this.server = server;
    }

    /** @throws IllegalStateException if nobody can listen on the address */
    static WebhookServer start(Address address, WebhookInbox inbox) {
        return startWithPatience(address, inbox, Patience.USUAL);
    }

    static WebhookServer startWithPatience(Address address, WebhookInbox inbox, Patience patience) {
        try {
            var webhooks = new WebhookServer(inbox, patience, HttpServer.create(address.resolve(), 0));
            webhooks.server.createContext(PATH, webhooks::serve);
            webhooks.server.setExecutor(webhooks.heads);
            webhooks.server.start();
            return webhooks;
        } catch (IOException e) {
            throw new IllegalStateException("Nobody can listen for webhooks on %s (%s): choose another CHARGEONCE_WEBHOOK_ADDRESS"
                    .formatted(address, e.getMessage()), e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            heads.haveCome();
            int status = status(exchange);
            if (status == FORGED) {
                // Behind its place: who waits here keeps no webhook out.
                inbox.forgeries().failed("forged", exchange.getRemoteAddress().getAddress(), Optional.empty());
            }
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private int status(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            return 405;
        }
        if (!places.tryAcquire()) {
            return 503;
        }
        try {
            byte[] body = body(exchange);
            return body.length > LARGEST ? 413 : taken(exchange, body);
        } finally {
            places.release();
        }
    }

    /** @throws IOException also if it does not come in time: then the connection is closed */
    private byte[] body(HttpExchange exchange) throws IOException {
        Thread deadline = Thread.ofVirtual().name("webhook-deadline").start(() -> {
            try {
                Thread.sleep(forABody);
                exchange.close();
            } catch (InterruptedException itCame) {
                // Nothing is left to be done.
            }
        });
        try {
            return exchange.getRequestBody().readNBytes(LARGEST + 1);
        } finally {
            deadline.interrupt();
        }
    }

    private int taken(HttpExchange exchange, byte[] body) {
        String psp = exchange.getRequestURI().getPath().substring(PATH.length());
        try {
            return switch (inbox.take(psp, name -> Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)), body)) {
                case YES -> 202;
                case REFUSED -> FORGED;
                case LATER -> 503;
            };
        } catch (DatabaseUnavailable | UncheckedIOException later) {
            return 503;
        }
    }

    @Override
    public void close() {
        server.stop(0);
        heads.close();
    }
}
