// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.clients;

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
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** Stands before the ingest service and does to each request what a script says; without one it passes all on. */
final class FlakyFront implements AutoCloseable {

    /** What happens to a request. */
    sealed interface Fate {

        /** It is passed on, and so is the answer. */
        record Passed() implements Fate {}

        /** It is passed on, and the answer gets lost. */
        record AnswerLost() implements Fate {}

        /** It is passed on, and half of the answer comes, and no end. */
        record AnswerHangs() implements Fate {}

        /** It is passed on, and the connection breaks after some lines of the answer. */
        record AnswerCut(int lines) implements Fate {}

        /** It is not passed on. */
        record Answered(int status, String body, Map<String, String> headers) implements Fate {}
    }

    /** What came. */
    record Got(String path, String key, String authorization, Optional<String> duplicateGuard, String body) {}

    private final Queue<Fate> script = new ConcurrentLinkedQueue<>();
    private final Queue<Got> got = new ConcurrentLinkedQueue<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final CountDownLatch over = new CountDownLatch(1);
    private final HttpServer server;
    private final URI behind;

    FlakyFront(URI behind) throws IOException {
        this.behind = behind;
        this.server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void will(Fate... fates) {
        script.addAll(List.of(fates));
    }

    /** Forgets what came, and what was to happen to the next requests. */
    void forget() {
        script.clear();
        got.clear();
    }

    /** What came since the last call. */
    List<Got> taken() {
        List<Got> all = List.copyOf(got);
        got.clear();
        return all;
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        got.add(new Got(exchange.getRequestURI().toString(), exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                exchange.getRequestHeaders().getFirst("Authorization"),
                Optional.ofNullable(exchange.getRequestHeaders().getFirst("Duplicate-Guard")), new String(body, StandardCharsets.UTF_8)));
        Fate fate = script.isEmpty() ? new Fate.Passed() : script.remove();
        switch (fate) {
            case Fate.Passed ignored -> answer(exchange, passOn(exchange, body));
            case Fate.AnswerLost ignored -> passOn(exchange, body);
            case Fate.AnswerHangs ignored -> {
                HttpResponse<byte[]> answer = passOn(exchange, body);
                exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
                exchange.getResponseBody().write(answer.body(), 0, 10);
                exchange.getResponseBody().flush();
                await();
            }
            case Fate.AnswerCut cut -> {
                byte[] answer = passOn(exchange, body).body();
                String lines = new String(answer, StandardCharsets.UTF_8).lines().limit(cut.lines).map(line -> line + "\n")
                        .collect(Collectors.joining());
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(lines.getBytes(StandardCharsets.UTF_8));
                exchange.getResponseBody().flush();
            }
            case Fate.Answered answered -> {
                answered.headers.forEach(exchange.getResponseHeaders()::set);
                byte[] bytes = answered.body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answered.status, bytes.length == 0 ? -1 : bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        }
        exchange.close();
    }

    private void await() throws InterruptedIOException {
        try {
            over.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private HttpResponse<byte[]> passOn(HttpExchange exchange, byte[] body) throws IOException {
        var request = HttpRequest.newBuilder(behind.resolve(exchange.getRequestURI()))
                .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        List.of("Authorization", "Idempotency-Key", "Content-Type").forEach(name -> {
            if (exchange.getRequestHeaders().containsKey(name)) {
                request.header(name, exchange.getRequestHeaders().getFirst(name));
            }
        });
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> answer) throws IOException {
        List.of("Content-Type", "Idempotent-Replayed", "Payment-Status", "Retry-After").forEach(
                name -> answer.headers().firstValue(name).ifPresent(value -> exchange.getResponseHeaders().set(name, value)));
        exchange.sendResponseHeaders(answer.statusCode(), answer.body().length == 0 ? -1 : answer.body().length);
        exchange.getResponseBody().write(answer.body());
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        http.close();
    }
}
