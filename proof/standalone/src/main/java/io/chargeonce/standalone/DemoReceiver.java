// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A shop's own server, which gets webhooks. It believes only what the library of the specification has verified. */
final class DemoReceiver implements AutoCloseable {

    /** A webhook whose signature is right. */
    record Told(String id, String body) {}

    private final ConcurrentLinkedQueue<Told> told = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private volatile Webhook secret = new Webhook("");

    DemoReceiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/hooks", this::take);
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/hooks";
    }

    void believes(String endpointSecret) {
        secret = new Webhook(endpointSecret);
    }

    private void take(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        try {
            var headers = exchange.getRequestHeaders();
            secret.verify(body, Stream.of("webhook-id", "webhook-timestamp", "webhook-signature")
                    .collect(Collectors.toMap(name -> name, name -> headers.getOrDefault(name, List.of()))));
            told.add(new Told(headers.getFirst("webhook-id"), body));
            exchange.sendResponseHeaders(204, -1);
        } catch (WebhookVerificationException forged) {
            exchange.sendResponseHeaders(401, -1);
        } finally {
            exchange.close();
        }
    }

    /** In the order in which they came. */
    List<Told> told() {
        return List.copyOf(told);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
