// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.spring;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/** Stands before the ingest service and can swallow requests, or their answers. */
final class FrontOfIngest implements AutoCloseable {

    private enum Mode {
        PASS_ON, SWALLOW_REQUESTS, SWALLOW_ANSWERS, REFUSE_TOKENS
    }

    private final Queue<String> keys = new ConcurrentLinkedQueue<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final HttpServer server;
    private final URI behind;
    private volatile Mode mode = Mode.PASS_ON;

    FrontOfIngest(URI behind) throws IOException {
        this.behind = behind;
        this.server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void passOn() {
        mode = Mode.PASS_ON;
    }

    void swallowRequests() {
        mode = Mode.SWALLOW_REQUESTS;
    }

    void swallowAnswers() {
        mode = Mode.SWALLOW_ANSWERS;
    }

    /** As after a change of tokens that has not reached the shop. */
    void refuseTokens() {
        mode = Mode.REFUSE_TOKENS;
    }

    /** Of all requests so far. */
    List<String> keys() {
        return List.copyOf(keys);
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        Mode now = mode;
        boolean passes = now == Mode.PASS_ON || now == Mode.SWALLOW_ANSWERS;
        Optional<HttpResponse<byte[]>> answer = passes ? Optional.of(passOn(exchange, body)) : Optional.empty();
        keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        if (now == Mode.REFUSE_TOKENS) {
            byte[] refusal = "{\"type\":\"urn:chargeonce:problem:token-revoked\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(401, refusal.length);
            exchange.getResponseBody().write(refusal);
            exchange.close();
        } else if (now == Mode.PASS_ON) {
            exchange.sendResponseHeaders(answer.orElseThrow().statusCode(), answer.orElseThrow().body().length);
            exchange.getResponseBody().write(answer.orElseThrow().body());
            exchange.close();
        }
    }

    private HttpResponse<byte[]> passOn(HttpExchange exchange, byte[] body) throws IOException {
        var request = HttpRequest.newBuilder(behind.resolve(exchange.getRequestURI())).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        List.of("Authorization", "Idempotency-Key", "Content-Type")
                .forEach(name -> request.header(name, exchange.getRequestHeaders().getFirst(name)));
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        http.close();
    }
}
