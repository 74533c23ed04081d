// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A payment that an unanswered sending may have brought in is never called refused. */
class DoubtTest {

    private static final String ACCEPTED = "{\"id\":\"pay_1\",\"status\":\"accepted\"}";
    private static final Instant NOW = Instant.parse("2026-10-21T05:28:00Z");
    private static final NewPayment PAYMENT = NewPayment.of("order-1", 1299, "EUR", "pm_card_visa");

    /** @param status 0 takes the request and answers nothing, -1 answers with half of an acceptance */
    private record Script(int status, String body) {}

    private final Queue<Script> script = new ConcurrentLinkedQueue<>();
    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
    private HttpServer server;
    private PaymentClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            Script next = script.remove();
            byte[] body = next.body().getBytes(StandardCharsets.UTF_8);
            if (next.status() == -1) {
                exchange.sendResponseHeaders(202, body.length + 100);
                exchange.getResponseBody().write(body);
            } else if (next.status() > 0) {
                exchange.sendResponseHeaders(next.status(), body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
        client = client(server.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private static PaymentClient client(int port) {
        return new PaymentClient(URI.create("http://127.0.0.1:" + port), "token",
                new Retries(5, Duration.ofMillis(1), Duration.ofMillis(5)));
    }

    private void answer(int status, String body) {
        script.add(new Script(status, body));
    }

    private static String problem(String type) {
        return "{\"type\":\"urn:chargeonce:problem:" + type + "\",\"detail\":\"why\"}";
    }

    private static String line(int number, int status, String body) {
        return "{\"line\":%d,\"status\":%d,\"headers\":{},\"body\":%s}%n".formatted(number, status, body);
    }

    @ParameterizedTest
    @CsvSource({"0,400", "0,401", "0,403", "0,404", "0,413", "0,301", "-1,401",
        "500,401", "502,404", "503,413", "504,301", "408,401", "202,401"})
    void a_refusal_after_a_sending_that_may_have_been_accepted_is_no_refusal(int first, int second) throws Exception {
        answer(first, "");
        answer(second, problem("unauthenticated"));

        assertThat(client.send(PAYMENT)).isInstanceOfSatisfying(Sent.Unknown.class, unknown -> {
            assertThat(unknown.sends()).isEqualTo(2);
            assertThat(unknown.lastSeen()).contains("" + second).contains("may have been accepted");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 503})
    void a_refund_may_have_been_accepted_just_as_well(int first) throws Exception {
        answer(first, "");
        answer(404, problem("not-found"));

        assertThat(client.refund(NewRefund.ofAll("pay_1"))).isInstanceOf(Sent.Unknown.class);
    }

    @Test
    void a_second_click_that_is_suspected_later_says_nothing_of_a_request_that_is_still_on_its_way() throws Exception {
        answer(0, "");
        answer(409, problem("duplicate-suspected"));

        assertThat(client.send(PAYMENT)).isInstanceOf(Sent.Unknown.class);
    }

    @Test
    void a_key_that_holds_another_payment_is_refused_whatever_came_before() throws Exception {
        answer(0, "");
        answer(409, problem("idempotency-key-reused"));

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Refused(409, "urn:chargeonce:problem:idempotency-key-reused", "why", 2));
    }

    @Test
    void a_limit_that_comes_before_anything_is_tried_leaves_no_doubt() throws Exception {
        answer(429, problem("rate-limited"));
        answer(400, problem("invalid-request"));

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Refused(400, "urn:chargeonce:problem:invalid-request", "why", 2));
    }

    @Test
    void where_no_connection_comes_about_nothing_was_sent() throws Exception {
        int port;
        try (var free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        var doubt = new Doubt();
        try (var nowhere = client(port)) {
            assertThat(nowhere.send(PAYMENT)).isInstanceOf(Sent.Unknown.class);
            assertThatThrownBy(() -> Answers.whole(nowhere.http(), nowhere.request("/", "x/y", true).build(), Duration.ofSeconds(20)))
                    .isInstanceOfSatisfying(IOException.class, doubt::failed);
        }

        var refused = new Wire.Answer(401, problem("unauthenticated").getBytes(StandardCharsets.UTF_8), false, Optional.empty());
        assertThat(doubt.judge(refused, 2)).isInstanceOf(Sent.Refused.class);
        doubt.failed(new IOException("reset"));
        assertThat(doubt.judge(refused, 3)).isInstanceOf(Sent.Unknown.class);
    }

    private List<Sent> sendBatch(String... keys) throws InterruptedException {
        PaymentBatch batch = client.batch();
        Stream.of(keys).forEach(key -> batch.add(NewPayment.of(key, 1, "EUR", "pm")));
        return batch.send();
    }

    @ParameterizedTest
    @CsvSource({"0,401", "0,404", "0,301", "503,413", "504,403"})
    void a_batch_that_is_refused_after_one_without_an_answer_is_unknown(int first, int second) throws Exception {
        answer(first, "");
        answer(second, problem("unauthenticated"));

        assertThat(sendBatch("a", "b")).hasSize(2).allSatisfy(sent -> assertThat(sent).isInstanceOf(Sent.Unknown.class));
    }

    @Test
    void each_payment_of_a_batch_has_its_own_doubt() throws Exception {
        answer(200, line(1, 429, "{}") + line(2, 503, "{}") + line(3, 202, ACCEPTED) + line(4, 409, problem("idempotency-key-in-use")));
        answer(401, problem("unauthenticated"));

        List<Sent> sent = sendBatch("a", "b", "c", "d", "e");
        assertThat(sent.get(0)).as("limited").isInstanceOf(Sent.Refused.class);
        assertThat(sent.get(1)).as("the server was not well").isInstanceOf(Sent.Unknown.class);
        assertThat(sent.get(2)).isInstanceOf(Sent.Accepted.class);
        assertThat(sent.get(3)).as("in use").isInstanceOf(Sent.Unknown.class);
        assertThat(sent.get(4)).as("without an answer").isInstanceOf(Sent.Unknown.class);
    }

    @Test
    void a_line_that_is_refused_after_a_sending_without_an_answer_is_unknown() throws Exception {
        answer(0, "");
        answer(200, line(1, 202, ACCEPTED) + line(2, 400, problem("invalid-request")));

        assertThat(sendBatch("a", "b")).hasExactlyElementsOfTypes(Sent.Accepted.class, Sent.Unknown.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void pauses_do_not_overflow_however_long_or_many_they_are(long seed) {
        var retries = new Retries(100, Duration.ofHours(20), Duration.ofHours(24));
        var random = new Random(seed);
        long longest = 0;
        for (int sends = 1; sends < 100; sends++) {
            longest = Math.max(longest, retries.pause(sends, Optional.empty(), random).toNanos());
        }

        assertThat(Duration.ofNanos(longest)).isBetween(Duration.ofHours(1), Duration.ofHours(24));
        assertThat(retries.pause(99, RetryAfter.parse("99999999999999999999", NOW), random))
                .isBetween(Duration.ofHours(24), Duration.ofHours(48));
        assertThatThrownBy(() -> new Retries(2, Duration.ofMillis(1), Duration.ofSeconds(Long.MAX_VALUE))).hasMessageContaining("a day");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7200", "Wed, 21 Oct 2026 07:28:00 GMT", "Wednesday, 21-Oct-26 07:28:00 GMT", "Wed Oct 21 07:28:00 2026"})
    void a_server_says_how_long_to_wait_in_seconds_or_in_each_form_of_a_date(String value) {
        assertThat(RetryAfter.parse(value, NOW)).contains(Duration.ofHours(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "-1", "Wed, 21 Oct 2026 05:27:00 GMT", "Wed, 21 Oct 2026 07:28:00 CET"})
    void what_is_no_time_to_come_asks_for_no_wait(String value) {
        assertThat(RetryAfter.parse(value, NOW)).isEmpty();
    }
}
