// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.fieldsInError;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefundTest {

    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    /** A payment of 12.99 that a PSP has captured. */
    private String captured() {
        String id = Json.text(world.pay(key, BODY).body(), "id");
        become(id, "succeeded");
        return id;
    }

    private static void become(String operation, String state) {
        world.rewrite(
                ("UPDATE operation_state SET state = '%s', psp = 'stripe', psp_reference = 'pi_1', settled_at = now() WHERE operation_id "
                        + "= '%s'")
                        .formatted(state, operation));
    }

    private static HttpRequest.Builder refund(String payment, String body) {
        return world.request("/v1/payments/" + payment + "/refunds").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    private static HttpResponse<String> giveBack(String payment, String body) {
        return world.send(refund(payment, body).build());
    }

    private static String status(String payment) {
        return Json.text(world.get("/v1/payments/" + payment).body(), "status");
    }

    @Test
    void a_refund_is_found_by_its_key_and_by_no_other_merchant() {
        String id = captured();
        String refund = Json.text(world.send(refund(id, "{}").header("Idempotency-Key", key + "r").build()).body(), "id");
        String query = "/v1/payments?idempotency_key=" + key + "r";
        assertThat(world.get(query).body()).startsWith("{\"data\":[],\"refund\":{\"id\":\"" + refund + "\"")
                .contains("\"status\":\"accepted\"");
        assertThat(world.send(world.request(query).setHeader("Authorization", "Bearer test_globex").build()).body())
                .isEqualTo("{\"data\":[]}");
    }

    @Test
    void a_refund_that_failed_after_its_success_is_shown_and_its_amount_is_free() {
        String id = captured();
        String refund = Json.text(giveBack(id, "{}").body(), "id");
        become(refund, "succeeded");
        assertThat(status(id)).isEqualTo("refunded");
        become(refund, "failed");
        assertThat(status(id)).isEqualTo("succeeded");
        assertThat(Json.text(world.get("/v1/payments/" + id + "/refunds/" + refund).body(), "status")).isEqualTo("failed");
        assertThat(giveBack(id, "{}").statusCode()).as("the same refund").isEqualTo(202);
        assertThat(giveBack(id, "{\"reference\": \"again\"}").statusCode()).isEqualTo(202);
    }

    @Test
    void a_refund_is_accepted_and_shown_with_its_payment() {
        String id = captured();
        HttpResponse<String> answer = giveBack(id, "{\"amount\": 500, \"reference\": \"line-2\"}");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        String refund = Json.text(answer.body(), "id");
        assertThat(refund).isEqualTo("payment-" + id + "-refund-line-2");
        String path = answer.headers().firstValue("Location").orElseThrow();
        assertThat(Json.text(world.get(path).body(), "status")).isEqualTo("accepted");
        assertThat(status(id)).isEqualTo("succeeded");

        become(refund, "succeeded");
        assertThat(Json.text(world.get(path).body(), "status")).isEqualTo("succeeded");
        String payment = world.get("/v1/payments/" + id).body();
        assertThat(Json.text(payment, "status")).isEqualTo("partially_refunded");
        assertThat(Json.text(payment, "amount_refunded")).isEqualTo("500");
        assertThat(Json.texts(payment, "refunds", "id")).containsExactly(refund);

        String rest = Json.text(giveBack(id, "{}").body(), "id");
        become(rest, "succeeded");
        assertThat(status(id)).isEqualTo("refunded");
        assertThat(world.pay(key, BODY).headers().firstValue("Payment-Status")).hasValue("refunded");
        assertThat(Json.texts(world.get("/v1/payments/" + id + "/refunds").body(), "data", "id")).containsExactly(refund, rest);
    }

    @Test
    void a_repeat_is_the_same_refund_with_its_key_with_another_one_and_with_none() {
        String id = captured();
        HttpResponse<String> first = world.send(refund(id, "{\"amount\": 500}").header("Idempotency-Key", key + "r").build());
        HttpResponse<String> second = world.send(refund(id, "{ \"amount\":500 }").header("Idempotency-Key", key + "r").build());
        HttpResponse<String> other = world.send(refund(id, "{\"amount\": 500}").header("Idempotency-Key", key + "r2").build());
        HttpResponse<String> none = giveBack(id, "{\"amount\": 500}");

        assertThat(List.of(second, other, none)).allSatisfy(repeat -> {
            assertThat(repeat.statusCode()).isEqualTo(202);
            assertThat(repeat.body()).isEqualTo(first.body());
            assertThat(repeat.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
            assertThat(repeat.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        });
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(world.count("SELECT count(*) FROM operation WHERE kind = 'refund' AND payment_id = '" + id + "'")).isOne();
        assertThat(world.count("SELECT count(*) FROM audit_record WHERE action = 'refund.accepted' AND resource_id = '" + id + "'"))
                .isOne();
    }

    @Test
    void a_key_names_one_thing_over_all_endpoints() {
        String id = captured();
        HttpResponse<String> asRefund = world.send(refund(id, "{}").header("Idempotency-Key", key).build());
        assertThat(asRefund.statusCode()).isEqualTo(409);
        assertThat(type(asRefund)).isEqualTo("urn:chargeonce:problem:idempotency-key-reused");
        assertThat(fieldsInError(asRefund)).containsExactly("Idempotency-Key");

        world.send(refund(id, "{\"amount\": 1}").header("Idempotency-Key", key + "r").build());
        HttpResponse<String> asPayment = world.pay(key + "r", BODY);
        assertThat(type(asPayment)).isEqualTo("urn:chargeonce:problem:idempotency-key-reused");
        HttpResponse<String> otherAmount = world.send(refund(id, "{\"amount\": 2}").header("Idempotency-Key", key + "r").build());
        assertThat(type(otherAmount)).isEqualTo("urn:chargeonce:problem:idempotency-key-reused");
        assertThat(fieldsInError(otherAmount)).containsExactly("amount");
    }

    @Test
    void however_many_ask_at_once_no_more_goes_back_than_was_captured() {
        String id = captured();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = IntStream.range(0, 20).mapToObj(i -> CompletableFuture.supplyAsync(
                    () -> giveBack(id, "{\"amount\": 400, \"reference\": \"line-%d\"}".formatted(i)), threads)).toList();
            assertThat(answers.stream().map(answer -> answer.join().statusCode())).containsOnly(202, 409)
                    .filteredOn(status -> status == 202).hasSize(3);
        }
        HttpResponse<String> tooMuch = giveBack(id, "{\"amount\": 100, \"reference\": \"last\"}");
        assertThat(type(tooMuch)).isEqualTo("urn:chargeonce:problem:refund-too-large");
        assertThat(Json.text(tooMuch.body(), "detail")).contains("At most 99 ");
        assertThat(giveBack(id, "{\"amount\": 99, \"reference\": \"last\"}").statusCode()).isEqualTo(202);
    }

    @Test
    void equal_refunds_at_once_are_one() {
        String id = captured();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = IntStream.range(0, 20).mapToObj(i -> CompletableFuture.supplyAsync(
                    () -> world.send(refund(id, "{\"amount\": 400}").header("Idempotency-Key", key + "-" + i % 2).build()), threads))
                    .toList();
            assertThat(answers).allSatisfy(answer -> assertThat(answer.join().statusCode()).as(answer.join().body()).isEqualTo(202));
        }
        assertThat(world.count("SELECT count(*) FROM operation WHERE kind = 'refund' AND payment_id = '" + id + "'")).isOne();
    }

    @Test
    void a_repeat_says_how_the_refund_stands_now() {
        String id = captured();
        String refund = Json.text(world.send(refund(id, "{}").header("Idempotency-Key", key + "r").build()).body(), "id");
        for (String state : List.of("declined", "succeeded")) {
            become(refund, state);
            HttpResponse<String> repeat = world.send(refund(id, "{}").header("Idempotency-Key", key + "r").build());
            assertThat(repeat.statusCode()).isEqualTo(202);
            assertThat(repeat.headers().firstValue("Idempotent-Replayed")).hasValue("true");
            assertThat(Json.text(repeat.body(), "status")).isEqualTo(state);
            assertThat(Json.text(giveBack(id, "{}").body(), "status")).isEqualTo(state);
        }
    }

    @ParameterizedTest
    @CsvSource({"dead", "purged"})
    void a_refund_of_a_payment_that_may_yet_be_merged_or_restored_is_accepted_and_waits(String state) {
        String id = captured();
        become(id, state);
        world.execute("UPDATE operation_state SET settled_at = NULL WHERE operation_id = '" + id + "'");
        assertThat(Json.text(giveBack(id, "{}").body(), "status")).isEqualTo("accepted");
    }

    /** A purge that is settled cannot be undone. */
    @ParameterizedTest
    @CsvSource({"declined", "purged"})
    void what_was_never_captured_and_never_will_be_is_not_given_back(String state) {
        String id = captured();
        become(id, state);
        assertThat(type(giveBack(id, "{}"))).isEqualTo("urn:chargeonce:problem:payment-not-captured");
    }

    @Test
    void a_refund_of_a_payment_that_is_still_being_charged_is_accepted_and_waits() {
        String id = Json.text(world.pay(key, BODY).body(), "id");
        assertThat(giveBack(id, "{}").statusCode()).isEqualTo(202);
    }

    @Test
    void the_same_refund_with_another_amount_is_refused() {
        String id = captured();
        giveBack(id, "{\"amount\": 500}");
        assertThat(type(giveBack(id, "{\"amount\": 501}"))).isEqualTo("urn:chargeonce:problem:refund-differs");
    }

    private static void dispute(String payment, String funds, boolean refundable) {
        world.rewrite("INSERT INTO dispute (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, "
                + ("funds_rank, refundable, answered, due_by, revision) VALUES ('stripe', 'du_%s', '%s', 700, 'EUR', 'fraudulent', "
                        + "'opened', 20, false, ").formatted(payment, payment)
                + "'%s', 1, %s, false, '2026-01-20T00:00:00Z', 1)".formatted(funds, refundable));
    }

    @Test
    void while_a_dispute_has_the_money_a_refund_is_refused_and_says_why() {
        String id = captured();
        giveBack(id, "{\"amount\": 100, \"reference\": \"before\"}");
        dispute(id, "taken", false);
        HttpResponse<String> refused = giveBack(id, "{\"amount\": 100, \"reference\": \"after\"}");
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(type(refused)).isEqualTo("urn:chargeonce:problem:payment-disputed");
        assertThat(giveBack(id, "{\"amount\": 100, \"reference\": \"before\"}").statusCode()).as("a repeat").isEqualTo(202);
    }

    @ParameterizedTest
    @CsvSource({"not_taken,false", "returned,false", "taken,true"})
    void what_a_dispute_has_not_taken_or_the_psp_still_refunds_can_be_refunded(String funds, boolean refundable) {
        String id = captured();
        dispute(id, funds, refundable);
        assertThat(giveBack(id, "{}").statusCode()).isEqualTo(202);
    }

    @Test
    void a_merchant_sees_the_disputes_of_its_payment_and_of_no_other() {
        String id = captured();
        assertThat(world.get("/v1/payments/" + id + "/disputes").body()).isEqualTo("{\"data\":[]}");
        dispute(id, "taken", false);
        assertThat(world.get("/v1/payments/" + id + "/disputes").body()).isEqualTo(("{\"data\":[{\"id\":\"du_%s\",\"payment\":\"%s\","
                + "\"psp\":\"stripe\",\"amount\":700,\"currency\":\"EUR\",\"reason\":\"fraudulent\",\"stage\":\"opened\","
                + "\"funds\":\"taken\",\"is_final\":false,\"due_by\":\"2026-01-20T00:00:00Z\"}]}").formatted(id, id));
        assertThat(world.send(world.request("/v1/payments/" + id + "/disputes").setHeader("Authorization", "Bearer test_globex").build())
                .statusCode()).isEqualTo(404);
    }

    @Test
    void no_merchant_refunds_or_sees_a_payment_of_another() {
        String id = captured();
        giveBack(id, "{}");
        String path = "/v1/payments/" + id + "/refunds";
        assertThat(world.send(refund(id, "{}").setHeader("Authorization", "Bearer test_globex").build()).statusCode()).isEqualTo(404);
        for (String hidden : List.of(path, path + "/payment-" + id + "-refund")) {
            assertThat(world.get(hidden).statusCode()).isEqualTo(200);
            assertThat(world.send(world.request(hidden).setHeader("Authorization", "Bearer test_globex").build()).statusCode())
                    .isEqualTo(404);
        }
        assertThat(giveBack("pay_x", "{}").statusCode()).isEqualTo(404);
        assertThat(world.get(path + "/payment-nothing").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"{\"amount\": 0} | amount", "{\"amount\": \"5\"} | amount", "{\"amount\": 1.5} | amount",
        "{\"reference\": \"two words\"} | reference", "{\"reference\": 7} | reference", "{\"amount\": null} | amount",
        "{\"reference\": null} | reference", "{\"currency\": \"EUR\"} | currency",
        "{\"amount\": -1, \"reference\": \"\"} | amount reference"})
    void every_wrong_field_is_named(String body, String fields) {
        HttpResponse<String> answer = giveBack(captured(), body);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(fieldsInError(answer)).containsExactly(fields.split(" "));
    }

    @Test
    void a_card_number_is_refused_here_too() {
        String id = captured();
        for (String number : List.of("4242424242424242", "4242.4242:4242_4242", "42-42-42-42-42-42-42-42")) {
            HttpResponse<String> answer = giveBack(id, "{\"reference\": \"" + number + "\"}");
            assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:card-number-not-allowed");
            assertThat(fieldsInError(answer)).containsExactly("reference");
            assertThat(answer.body()).doesNotContain("4242");
        }
    }

    @Test
    void the_attempts_are_shown_in_words() {
        String id = captured();
        world.execute("""
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, \
                failed_definite,
                       cause, request, request_sha256, sent_at, key_valid_until, decided_at)
                VALUES ('a-%1$s', '%1$s', '%1$s', 'charge', 1, 1, 'stripe', 'failed_definite', true, 'connection_refused', '', \
                sha256(''), now(), now(), now()),
                       ('b-%1$s', '%1$s', '%1$s', 'charge', 1, 2, 'adyen', 'unknown', false, 'gateway_timed_out', '', sha256(''), now(), \
                now(), NULL)
                """.formatted(id));
        String payment = world.get("/v1/payments/" + id).body();
        assertThat(Json.texts(payment, "attempts", "psp")).containsExactly("stripe", "adyen");
        assertThat(Json.texts(payment, "attempts", "result")).containsExactly("certainly took no money: it never reached the PSP",
                "it is not known yet whether it took the money: the PSP did not answer in time");
    }
}
