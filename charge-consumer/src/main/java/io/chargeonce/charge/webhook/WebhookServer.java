// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Arrivals;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * Accepts PSPs' webhooks, {@code POST /v1/webhooks/<psp>}, each on a virtual thread. Put a proxy with TLS in front of it: all connections
 * come from the proxy, so only the proxy can limit those of one address. A webhook answered with 2xx is recorded; the PSP sends any other
 * again. A request that does not arrive in time gets no answer: its connection is closed.
 */
public final class WebhookServer implements AutoCloseable {

    private static final String PATH = "/v1/webhooks/";
    private static final int LARGEST = 256 * 1024;
    /** How many arrived webhooks of one PSP are handled at once. A PSP that answers slowly does not take the room of another. */
    private static final int AT_ONCE_OF_A_PSP = 50;
    private static final int ARRIVING_AT_ONCE = 500;
    /** A PSP sends its webhook without delay. */
    private static final Duration TO_ARRIVE = Duration.ofSeconds(10);
    private static final String REFUSED = "chargeonce.door.refused";

    private static final int FORGED = 401;

    private final WebhookInbox inbox;
    private final HttpServer server;
    private final Arrivals arrivals;
    private final Map<String, Semaphore> places;
    private final MeterRegistry meters;

    private WebhookServer(WebhookInbox inbox, Duration toArrive, MeterRegistry meters, HttpServer server) {
        this.inbox = inbox;
        this.meters = meters;
        this.arrivals = Arrivals.onVirtualThreads("webhook-", toArrive, ARRIVING_AT_ONCE, this::count);
        this.places = inbox.psps().stream().collect(Collectors.toUnmodifiableMap(psp -> psp, psp -> new Semaphore(AT_ONCE_OF_A_PSP)));
        this.server = server;
        List.of(Arrivals.TOO_SLOW, Arrivals.TOO_MANY_ARRIVE, "too_many_at_once").forEach(this::counter);
    }

    /** @throws IllegalStateException if the address cannot be listened on */
    public static WebhookServer start(Address address, WebhookInbox inbox, MeterRegistry meters) {
        return startWithPatience(address, inbox, TO_ARRIVE, meters);
    }

    /** @param toArrive how long a request's head and body may take together */
    public static WebhookServer startWithPatience(Address address, WebhookInbox inbox, Duration toArrive, MeterRegistry meters) {
        Arrivals.boundConnections();
        try {
            var webhooks = new WebhookServer(inbox, toArrive, meters, HttpServer.create(address.resolve(), 0));
            webhooks.server.createContext(PATH, webhooks::serve);
            webhooks.server.setExecutor(webhooks.arrivals);
            webhooks.server.start();
            return webhooks;
        } catch (IOException e) {
            throw new IllegalStateException("Webhooks can't be received on %s (%s): choose another CHARGEONCE_WEBHOOK_ADDRESS"
                    .formatted(address, e.getMessage()), e);
        }
    }

    private Counter counter(String reason) {
        return meters.counter(REFUSED, "door", "webhooks", "reason", reason);
    }

    private void count(String reason) {
        counter(reason).increment();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** Why it takes no webhook, in one line; empty if it answers. Any thread. */
    public Optional<String> problem() {
        return SelfCheck.problem(server.getAddress(), PATH);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            int status = status(exchange);
            if (status == FORGED) {
                // After its place was released: waiting here keeps no webhook out.
                inbox.forgeries().failed("forged", exchange.getRemoteAddress().getAddress(), Optional.empty());
            }
            if (status == 503) {
                exchange.getResponseHeaders().set("Retry-After", "1");
            }
            Arrivals.endConnection(exchange);
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private int status(HttpExchange exchange) throws IOException {
        if (!exchange.getRequestMethod().equals("POST")) {
            arrivals.arrived();
            return 405;
        }
        byte[] body = exchange.getRequestBody().readNBytes(LARGEST + 1);
        arrivals.arrived();
        return body.length > LARGEST ? 413 : taken(exchange, body);
    }

    private int taken(HttpExchange exchange, byte[] body) {
        String psp = exchange.getRequestURI().getRawPath().substring(PATH.length());
        Semaphore place = places.get(psp);
        if (place == null) {
            return status(exchange, psp, body);
        }
        if (!place.tryAcquire()) {
            count("too_many_at_once");
            return 503;
        }
        try {
            return status(exchange, psp, body);
        } finally {
            place.release();
        }
    }

    private int status(HttpExchange exchange, String psp, byte[] body) {
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
        arrivals.close();
    }
}
