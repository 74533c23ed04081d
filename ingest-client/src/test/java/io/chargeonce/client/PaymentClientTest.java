// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a server that gives the answers of a script. */
class PaymentClientTest {

    private static final String ACCEPTED = "{\"id\":\"pay_1\",\"status\":\"accepted\"}";
    private static final NewPayment PAYMENT = NewPayment.of("order-1", 1299, "EUR", "pm_card_visa").withCustomer("cus_7");

    private record Script(int status, String body, String retryAfter, String now) {}

    private record Got(String path, String key, String authorization, String body) {}

    private final Queue<Script> script = new ArrayDeque<>();
    private final Queue<Got> got = new ConcurrentLinkedQueue<>();
    private final Queue<String> queries = new ConcurrentLinkedQueue<>();
    private final Queue<String> guards = new ConcurrentLinkedQueue<>();
    private HttpServer server;
    private PaymentClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            queries.add(Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse(""));
            got.add(new Got(exchange.getRequestURI().getPath(), exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                    exchange.getRequestHeaders().getFirst("Authorization"),
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            guards.add(Optional.ofNullable(exchange.getRequestHeaders().getFirst("Duplicate-Guard")).orElse("on"));
            Script next = script.remove();
            if (next.status() == 0) {
                exchange.close();
                return;
            }
            if (!next.retryAfter().isEmpty()) {
                exchange.getResponseHeaders().set("Retry-After", next.retryAfter());
            }
            if (!next.now().isEmpty()) {
                exchange.getResponseHeaders().set("Idempotent-Replayed", "true");
                exchange.getResponseHeaders().set("Payment-Status", next.now());
            }
            byte[] body = next.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(next.status(), body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        client = new PaymentClient(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "token",
                new Retries(5, Duration.ofMillis(1), Duration.ofMillis(5)));
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    private void answer(int status, String body) {
        script.add(new Script(status, body, "", ""));
    }

    @Test
    void an_accepted_payment_was_sent_once_as_it_is() throws Exception {
        answer(202, ACCEPTED);

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Accepted("pay_1", "accepted", false, 1));
        assertThat(got).containsExactly(new Got("/v1/payments", "order-1", "Bearer token",
                "{\"amount\":1299,\"currency\":\"EUR\",\"payment_method\":\"pm_card_visa\",\"customer\":\"cus_7\"}"));
    }

    @Test
    void a_direct_debit_names_its_rail() throws Exception {
        answer(202, ACCEPTED);

        client.send(NewPayment.of("order-2", 1299, "EUR", "mandate_7").throughBankDebit());
        assertThat(got).extracting(Got::body)
                .containsExactly("{\"amount\":1299,\"currency\":\"EUR\",\"payment_method\":\"mandate_7\",\"rail\":\"bank_debit\"}");
    }

    @Test
    void a_refund_is_sent_until_it_is_accepted_and_named_by_what_it_says() throws Exception {
        answer(503, "");
        answer(202, "{\"id\":\"payment-pay_1-refund-line-2\",\"status\":\"accepted\"}");
        answer(202, "{\"id\":\"payment-pay_1-refund\",\"status\":\"accepted\"}");

        assertThat(client.refund(NewRefund.ofPart("pay_1", 500, "line-2")))
                .isEqualTo(new Sent.Accepted("payment-pay_1-refund-line-2", "accepted", false, 2));
        assertThat(client.refund(NewRefund.ofAll("pay_1"))).isInstanceOf(Sent.Accepted.class);
        assertThat(got).extracting(Got::path).containsOnly("/v1/payments/pay_1/refunds");
        assertThat(got).extracting(Got::body).containsExactly("{\"amount\":500,\"reference\":\"line-2\"}",
                "{\"amount\":500,\"reference\":\"line-2\"}", "{}");
    }

    @Test
    void every_repeat_has_the_same_key_and_the_same_bytes() throws Exception {
        answer(503, "");
        answer(500, "oops");
        answer(429, "{}");
        answer(202, ACCEPTED);

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Accepted("pay_1", "accepted", false, 4));
        assertThat(got).hasSize(4);
        assertThat(List.copyOf(got)).containsOnly(got.peek());
    }

    @Test
    void a_lost_answer_is_asked_for_again() throws Exception {
        answer(0, "");
        answer(202, ACCEPTED);

        assertThat(client.send(PAYMENT)).isInstanceOf(Sent.Accepted.class);
    }

    @Test
    void a_202_that_something_on_the_way_made_up_is_not_believed() throws Exception {
        answer(202, "<html>welcome</html>");
        answer(202, ACCEPTED);

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Accepted("pay_1", "accepted", false, 2));
    }

    @Test
    void a_key_in_use_is_asked_for_again() throws Exception {
        answer(409, "{\"type\":\"urn:chargeonce:problem:idempotency-key-in-use\"}");
        answer(202, ACCEPTED);

        assertThat(client.send(PAYMENT).sends()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"400,invalid-request", "400,card-number-not-allowed", "401,unauthenticated", "409,idempotency-key-reused",
        "409,duplicate-suspected", "413,body-too-large"})
    void what_would_not_change_is_not_sent_again(int status, String type) throws Exception {
        answer(status, "{\"type\":\"urn:chargeonce:problem:" + type + "\",\"detail\":\"why\"}");

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Refused(status, "urn:chargeonce:problem:" + type, "why", 1));
        assertThat(got).hasSize(1);
    }

    @Test
    void each_field_that_is_wrong_is_told() throws Exception {
        answer(400,
                "{\"type\":\"urn:chargeonce:problem:invalid-request\",\"detail\":\"why\","
                        + "\"errors\":[{\"field\":\"amount\",\"detail\":\"too small\"}]}");

        assertThat(client.send(PAYMENT)).isEqualTo(new Sent.Refused(400, "urn:chargeonce:problem:invalid-request", "why",
                List.of(new Sent.FieldError("amount", "too small")), 1));
    }

    @Test
    void each_wrong_field_of_a_refund_and_of_a_line_of_a_batch_is_told() throws Exception {
        String problem = "{\"type\":\"urn:x\",\"detail\":\"why\",\"errors\":[{\"field\":\"amount\",\"detail\":\"too small\"}]}";
        answer(400, problem);
        answer(200, line(1, 400, problem) + line(2, 202, ACCEPTED));

        var refused = new Sent.Refused(400, "urn:x", "why", List.of(new Sent.FieldError("amount", "too small")), 1);
        assertThat(client.refund(NewRefund.ofAll("pay_1"))).isEqualTo(refused);
        assertThat(sendBatch("a", "b")).containsExactly(refused, new Sent.Accepted("pay_1", "accepted", false, 1));
    }

    @Test
    void a_repeat_of_a_payment_that_has_moved_on_says_how_it_stands_now() throws Exception {
        script.add(new Script(202, ACCEPTED, "", "purged"));
        answer(200, "{\"line\":1,\"status\":202,\"headers\":{\"Idempotent-Replayed\":\"true\",\"Payment-Status\":\"purged\"},\"body\":"
                + ACCEPTED + "}\n");

        var purged = new Sent.Accepted("pay_1", "purged", true, 1);
        assertThat(client.send(PAYMENT)).isEqualTo(purged);
        assertThat(sendBatch("a")).containsExactly(purged);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"nonsense | is not JSON, so the connection or a proxy broke it", "{\"line\":7,\"status\":202} | has the number 7",
                "{\"status\":202} | has the number 0", "[] | has the number 0"})
    void an_answer_of_a_batch_that_cannot_be_read_is_told_in_words(String line, String says) throws Exception {
        IntStream.range(0, 5).forEach(i -> answer(200, line + "\n"));

        assertThat(sendBatch("a")).singleElement().isInstanceOfSatisfying(Sent.Unknown.class,
                unknown -> assertThat(unknown.lastSeen()).contains("line 1 of the answers " + says).doesNotContain("Exception", "jackson"));
    }

    @Test
    void an_answer_that_is_missing_or_not_from_this_service_is_told_in_words() throws Exception {
        IntStream.range(0, 5).forEach(i -> answer(202, "<html>welcome</html>"));
        assertThat(client.send(PAYMENT)).isInstanceOfSatisfying(Sent.Unknown.class,
                unknown -> assertThat(unknown.lastSeen()).isEqualTo("the server answered 202, and not in the way of Chargeonce"));
        IntStream.range(0, 5).forEach(i -> answer(0, ""));
        assertThat(client.send(PAYMENT)).isInstanceOfSatisfying(Sent.Unknown.class,
                unknown -> assertThat(unknown.lastSeen()).startsWith("no answer: the connection broke").doesNotContain("Exception"));
        server.stop(0);
        assertThat(client.send(PAYMENT)).isInstanceOfSatisfying(Sent.Unknown.class,
                unknown -> assertThat(unknown.lastSeen()).startsWith("no answer: no connection to the server").doesNotContain("Exception"));
    }

    @Test
    void when_nothing_is_left_to_try_it_says_that_it_does_not_know() throws Exception {
        IntStream.range(0, 5).forEach(i -> answer(503, ""));

        assertThat(client.send(PAYMENT)).isInstanceOfSatisfying(Sent.Unknown.class, unknown -> {
            assertThat(unknown.sends()).isEqualTo(5);
            assertThat(unknown.lastSeen()).contains("503");
        });
    }

    private List<Sent> sendBatch(String... keys) throws InterruptedException {
        PaymentBatch batch = client.batch();
        Stream.of(keys).forEach(key -> batch.add(NewPayment.of(key, 1, "EUR", "pm")));
        List<Sent> answers = batch.send();
        assertThat(batch.send()).isEmpty();
        return answers;
    }

    private static String line(int number, int status, String body) {
        return "{\"line\":%d,\"status\":%d,\"headers\":{\"Retry-After\":\"0\"},\"body\":%s}%n".formatted(number, status, body);
    }

    @Test
    void a_batch_is_one_request_and_what_may_change_is_sent_together_again() throws Exception {
        answer(200, line(1, 202, "{\"id\":\"pay_a\",\"status\":\"accepted\"}") + line(2, 503, "{}")
                + line(3, 400, "{\"type\":\"urn:x\",\"detail\":\"no\"}"));
        answer(200,
                line(1, 202, "{\"id\":\"pay_b\",\"status\":\"accepted\"}") + line(2, 202, "{\"id\":\"pay_d\",\"status\":\"accepted\"}"));

        assertThat(sendBatch("a", "b", "c", "d")).containsExactly(new Sent.Accepted("pay_a", "accepted", false, 1),
                new Sent.Accepted("pay_b", "accepted", false, 2), new Sent.Refused(400, "urn:x", "no", 1),
                new Sent.Accepted("pay_d", "accepted", false, 2));
        assertThat(got).extracting(Got::path).containsOnly("/v1/payments/batch");
        assertThat(got).extracting(sent -> sent.body().lines().map(line -> line.replaceAll(".*_key\":\"(.)\".*", "$1")).toList())
                .containsExactly(List.of("a", "b", "c", "d"), List.of("b", "d"));
    }

    @Test
    void each_payment_of_a_refused_batch_is_refused_and_of_an_unanswered_batch_unknown() throws Exception {
        answer(401, "{\"type\":\"urn:no\",\"detail\":\"token\"}");
        assertThat(sendBatch("a", "b")).containsExactly(new Sent.Refused(401, "urn:no", "token", 1),
                new Sent.Refused(401, "urn:no", "token", 1));

        answer(429, "{}");
        IntStream.range(0, 4).forEach(i -> answer(i < 3 ? 0 : 503, ""));
        assertThat(sendBatch("a", "b")).hasSize(2).allSatisfy(sent -> assertThat(sent)
                .isInstanceOfSatisfying(Sent.Unknown.class, unknown -> assertThat(unknown.lastSeen()).contains("503")))
                .extracting(Sent::sends).containsOnly(5);
    }

    @Test
    void a_purchase_of_its_own_says_so_alone_and_in_a_batch() throws Exception {
        answer(202, ACCEPTED);
        client.send(PAYMENT.withoutDuplicateGuard());
        answer(200, line(1, 202, ACCEPTED));
        answer(200, line(1, 202, ACCEPTED));
        List<Sent> answers = client.batch().add(PAYMENT).add(PAYMENT.withoutDuplicateGuard().withReference("2")).send();

        assertThat(answers).hasSize(2).allSatisfy(sent -> assertThat(sent).isInstanceOf(Sent.Accepted.class));
        assertThat(guards).containsExactly("off", "on", "off");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void pauses_grow_to_a_ceiling_with_full_jitter_and_never_undercut_retry_after(long seed) {
        var retries = new Retries(8, Duration.ofMillis(100), Duration.ofSeconds(2));
        var random = new Random(seed);
        for (int sends = 1; sends < 40; sends++) {
            long ceiling = Math.min(2_000, 100L << Math.min(sends - 1, 20));
            assertThat(retries.pause(sends, Optional.empty(), random)).isBetween(Duration.ZERO, Duration.ofMillis(ceiling));
            assertThat(retries.pause(sends, Optional.of(Duration.ofSeconds(1)), random)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(retries.pause(sends, Optional.of(Duration.ofHours(1)), random)).isLessThanOrEqualTo(Duration.ofSeconds(4));
        }
        assertThat(IntStream.range(0, 50).mapToObj(i -> retries.pause(5, Optional.empty(), random)).distinct().count()).isGreaterThan(40);
    }

    @Test
    void a_derived_key_is_the_same_on_every_machine_and_differs_by_purpose() {
        NewPayment payment = NewPayment.derived("order-1", "charge", 1, "EUR", "pm");

        assertThat(payment.key()).isEqualTo(NewPayment.derived("order-1", "charge", 2, "EUR", "px").key()).isEqualTo("order-1-charge");
        assertThat(NewPayment.derived("Bestellung 1", "charge", 1, "EUR", "pm").key()).as("no key as it is").matches("[0-9a-f]{64}");
        assertThat(payment.key()).isNotEqualTo(NewPayment.derived("order-1", "charge2", 1, "EUR", "pm").key());
        assertThat(NewPayment.derived("ab", "c", 1, "EUR", "pm").key()).isNotEqualTo(NewPayment.derived("a", "bc", 1, "EUR", "pm").key());
        assertThat(payment.reference()).contains("order-1");
        assertThatThrownBy(() -> NewPayment.of("two words", 1, "EUR", "pm")).hasMessageContaining("visible ASCII");
    }

    private static final String SUCCEEDED = "{\"id\":\"pay_1\",\"status\":\"succeeded\",\"amount\":1299,\"currency\":\"EUR\","
            + "\"amount_refunded\":0,\"accepted_at\":\"2026-01-01T00:00:00Z\",\"attempts\":[]}";
    private static final Payment CHARGED = new Payment("pay_1", "succeeded", 1299, "EUR", 0, Optional.empty(), false);

    @Test
    void a_payment_is_read_by_its_id_and_by_its_key_however_the_key_is_spelled() throws Exception {
        answer(503, "");
        answer(200, SUCCEEDED);
        answer(0, "");
        answer(200, "{\"data\":[" + SUCCEEDED + "]}");
        answer(200, "{\"data\":[]}");
        answer(404, "{\"type\":\"urn:chargeonce:problem:not-found\"}");

        assertThat(client.find("pay_1")).contains(CHARGED);
        assertThat(client.findByKey("order 1&2=3+4/ü")).contains(CHARGED);
        assertThat(client.findByKey("order-2")).isEmpty();
        assertThat(client.find("pay_2")).isEmpty();
        assertThat(queries).contains("idempotency_key=order%201%262%3D3%2B4%2F%C3%BC");
    }

    @ParameterizedTest
    @CsvSource({"401, {}", "404, <html>no such page</html>", "200, <html>sign in</html>", "403, {}"})
    void what_cannot_be_read_says_nothing_about_the_payment(int status, String body) {
        answer(status, body);

        assertThatThrownBy(() -> client.find("pay_1")).isInstanceOf(ReadFailed.class).hasMessageContaining("" + status);
        assertThat(got).hasSize(1);
    }

    @Test
    void a_server_that_stays_away_is_asked_as_often_as_wished() {
        for (int i = 0; i < 5; i++) {
            answer(503, "");
        }
        assertThatThrownBy(() -> client.find("pay_1")).isInstanceOf(ReadFailed.class).hasMessageContaining("503");
        assertThat(got).hasSize(5);
    }

    @Test
    void the_end_of_a_payment_is_awaited_and_what_needs_attention_is_no_end() throws Exception {
        answer(200, SUCCEEDED.replace("succeeded", "processing"));
        answer(200, SUCCEEDED.replace("succeeded", "needs_attention"));
        answer(200, SUCCEEDED);

        assertThat(client.await("pay_1", Duration.ofSeconds(30))).contains(CHARGED);
        answer(200, SUCCEEDED.replace("succeeded", "processing"));
        assertThat(client.await("pay_1", Duration.ZERO)).get().extracting(Payment::hasEnded).isEqualTo(false);
    }

    @ParameterizedTest
    @CsvSource({"accepted, false, false", "processing, false, false", "succeeded, true, true", "refunded, true, true",
        "partially_refunded, true, true", "declined, false, true", "needs_attention, false, false", "purged, false, false"})
    void each_status_says_whether_money_came_and_whether_more_can_happen(String status, boolean charged, boolean ended) {
        var payment = new Payment("pay_1", status, 1, "EUR", 0, Optional.empty(), false);

        assertThat(payment.isCharged()).isEqualTo(charged);
        assertThat(payment.hasEnded()).isEqualTo(ended);
        assertThat(new Payment("pay_1", "purged", 1, "EUR", 0, Optional.empty(), true).hasEnded()).isTrue();
    }

    @Test
    void a_payment_method_is_stored_under_its_key_read_and_detached_and_its_text_shows_no_token() throws Exception {
        String found = "{\"id\":\"pmt_1\",\"customer\":\"jane\",\"psps\":[\"stripe\"],\"detached_at\":\"2026-01-01T00:00:00Z\"}";
        script.add(new Script(503, "", "", ""));
        script.add(new Script(201, "{\"id\":\"pmt_1\"}", "", ""));
        script.add(new Script(200, found, "", ""));
        script.add(new Script(200, "{\"data\":[" + found + "]}", "", ""));
        var method = NewPaymentMethod.of("card-1", "jane").withStripe("stripe", "cus_1", "pm_1");
        assertThat(client.store(method)).isInstanceOfSatisfying(Sent.Accepted.class,
                sent -> assertThat(sent.paymentId()).isEqualTo("pmt_1"));
        assertThat(client.detach("pmt_1")).contains(new PaymentMethod("pmt_1", "jane", List.of("stripe"), true));
        assertThat(client.methodsOf("jane")).hasSize(1);
        assertThat(got).extracting(Got::path).containsExactly("/v1/payment_methods", "/v1/payment_methods", "/v1/payment_methods/pmt_1",
                "/v1/payment_methods");
        assertThat(got.peek()).isEqualTo(new Got("/v1/payment_methods", "card-1", "Bearer token",
                "{\"customer\":\"jane\",\"tokens\":{\"stripe\":{\"customer\":\"cus_1\",\"payment_method\":\"pm_1\"}}}"));
        assertThat(method.toString()).doesNotContain("cus_1", "pm_1");
    }
}
