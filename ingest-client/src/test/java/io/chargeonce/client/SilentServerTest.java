// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that says the beginning of an answer to the first request and then nothing more, until the test is over. */
@Timeout(60)
class SilentServerTest {

    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration NEVER = Duration.ofHours(1);
    private static final String ACCEPTED = "{\"id\":\"pay_1\",\"status\":\"accepted\"}";

    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();
    private final Queue<String> later = new ConcurrentLinkedQueue<>();
    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
    private volatile String beginning = "";
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            if (requests.getAndIncrement() == 0) {
                beginAndStop(exchange);
            } else {
                byte[] body = later.remove().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(exchange.getRequestURI().getPath().endsWith("batch") ? 200 : 202, body.length);
                exchange.getResponseBody().write(body);
                exchange.close();
            }
        });
        server.start();
    }

    private void beginAndStop(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(exchange.getRequestURI().getPath().endsWith("batch") ? 200 : 202, 0);
        exchange.getResponseBody().write(beginning.getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void stop() {
        over.countDown();
        server.stop(0);
    }

    private PaymentClient client(Patience patience) {
        return new PaymentClient(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "token",
                new Retries(3, Duration.ofMillis(1), Duration.ofMillis(5)), patience);
    }

    private static String line(int number) {
        return "{\"line\":%d,\"status\":202,\"headers\":{},\"body\":%s}%n".formatted(number, ACCEPTED);
    }

    @Test
    void an_answer_whose_body_never_ends_is_asked_for_again() throws Exception {
        beginning = "{\"id\":";
        later.add(ACCEPTED);
        try (var client = client(new Patience(SOON, NEVER, NEVER))) {
            assertThat(client.send(NewPayment.of("a", 1, "EUR", "pm"))).isEqualTo(new Sent.Accepted("pay_1", "accepted", false, 2));
        }
    }

    @Test
    void a_batch_whose_answers_stop_sends_those_without_one_again() throws Exception {
        beginning = line(1);
        later.add(line(1));
        try (var client = client(new Patience(NEVER, NEVER, SOON))) {
            List<Sent> sent = client.batch().add(NewPayment.of("a", 1, "EUR", "pm")).add(NewPayment.of("b", 1, "EUR", "pm")).send();

            assertThat(sent).extracting(Sent::sends).containsExactly(1, 2);
            assertThat(bodies).last().asString().contains("\"b\"").doesNotContain("\"a\"");
        }
    }

    @Test
    void an_interrupted_batch_knows_what_was_answered_and_goes_on_from_there() throws Exception {
        beginning = line(1);
        later.add(line(1));
        var first = NewPayment.of("a", 1, "EUR", "pm");
        var second = NewPayment.of("b", 1, "EUR", "pm");
        var failure = new AtomicReference<Throwable>();
        try (var client = client(new Patience(NEVER, NEVER, NEVER))) {
            PaymentBatch batch = client.batch().add(first).add(second);
            Thread sender = Thread.ofPlatform().start(() -> {
                try {
                    batch.send();
                } catch (InterruptedException expected) {
                    failure.set(expected);
                }
            });
            Awaitility.await().until(() -> !batch.answered().isEmpty());
            sender.interrupt();
            sender.join();

            assertThat(failure.get()).isInstanceOf(InterruptedException.class);
            assertThat(batch.answered()).containsOnlyKeys(first);
            assertThat(batch.send()).extracting(Sent::sends).containsExactly(1, 1);
            assertThat(bodies).last().asString().contains("\"b\"").doesNotContain("\"a\"");
            assertThat(batch.answered()).isEmpty();
        }
    }
}
