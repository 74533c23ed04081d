// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import com.standardwebhooks.Webhook;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A merchant's server. It keeps what it got. */
final class Receiver implements AutoCloseable {

    record Got(String webhookId, String timestamp, String signature, String body) {

        /** Throws unless this secret has signed it. */
        void verify(String secret) throws Exception {
            new Webhook(secret).verify(body, Map.of("webhook-id", List.of(webhookId), "webhook-timestamp", List.of(timestamp),
                    "webhook-signature", List.of(signature)));
        }
    }

    private static final Duration BETWEEN_BYTES = Duration.ofMillis(50);

    private final HttpServer server;
    private final List<Got> got = new CopyOnWriteArrayList<>();
    private volatile HttpHandler behaviour = answer(200);

    Receiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                var headers = exchange.getRequestHeaders();
                got.add(new Got(headers.getFirst("webhook-id"), headers.getFirst("webhook-timestamp"),
                        headers.getFirst("webhook-signature"), body));
                behaviour.handle(exchange);
            }
        });
        server.start();
    }

    static HttpHandler answer(int status) {
        return exchange -> exchange.sendResponseHeaders(status, -1);
    }

    static HttpHandler redirect(String to) {
        return exchange -> {
            exchange.getResponseHeaders().set("Location", to);
            exchange.sendResponseHeaders(307, -1);
        };
    }

    /** A byte now and then, for ever. */
    static HttpHandler trickle() {
        return exchange -> {
            exchange.sendResponseHeaders(200, 0);
            while (!Thread.currentThread().isInterrupted()) {
                send(exchange, new byte[1]);
                work(BETWEEN_BYTES);
            }
        };
    }

    private static void send(HttpExchange exchange, byte[] bytes) throws IOException {
        exchange.getResponseBody().write(bytes);
        exchange.getResponseBody().flush();
    }

    /** As long as a receiver needs for its answer. */
    static void work(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Receiver behaves(HttpHandler next) {
        behaviour = next;
        return this;
    }

    String url() {
        return "http://localhost:%d/hooks".formatted(server.getAddress().getPort());
    }

    List<Got> got() {
        return got;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
