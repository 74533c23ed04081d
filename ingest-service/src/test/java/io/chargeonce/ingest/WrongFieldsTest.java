// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.fieldsInError;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A refusal names what is wrong, and calls it what its sender calls it: a field, a header or a parameter. */
class WrongFieldsTest {

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

    private String captured(String body) {
        String id = Json.text(world.pay(key, body).body(), "id");
        world.become(key, "state = 'succeeded', psp = 'stripe', psp_reference = 'pi_1', settled_at = now()");
        return id;
    }

    private static HttpResponse<String> giveBack(String payment, String body, String... headers) {
        var request = world.request("/v1/payments/" + payment + "/refunds").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return world.send(request.build());
    }

    private static String detail(HttpResponse<String> problem) {
        return Json.text(problem.body(), "detail");
    }

    private static String detailOf(HttpResponse<String> problem, String field) {
        return Json.texts(problem.body(), "errors", "detail").get(fieldsInError(problem).indexOf(field));
    }

    /** Answers of a batch, without what is around them. */
    private static List<String> batch(String... lines) {
        return world.send(world.request("/v1/payments/batch").header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(String.join("\n", lines))).build()).body().lines().toList();
    }

    private static List<String> fieldsOf(String line) {
        return Json.texts(Json.at(line, "body"), "errors", "field");
    }

    private static String detailOfLine(String line) {
        return Json.text(Json.at(line, "body"), "detail");
    }

    @Test
    void a_refund_of_a_fraction_that_its_psp_has_not_names_the_amount_alone() {
        String id = captured(Json.with(Json.with(BODY, "currency", "\"BHD\""), "amount", "1230"));
        HttpResponse<String> answer = giveBack(id, "{\"amount\": 5}");
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:amount-not-representable");
        assertThat(fieldsInError(answer)).containsExactly("amount");
        assertThat(detail(answer)).contains("BHD").doesNotContain("send a currency");
    }

    @ParameterizedTest
    @CsvSource({"XTS,10000,currency", "MGA,550,amount"})
    void of_an_amount_that_no_psp_can_move_the_field_that_is_wrong_is_named(String currency, long amount, String field) {
        HttpResponse<String> answer =
                world.pay(key, Json.with(Json.with(BODY, "amount", Long.toString(amount)), "currency", '"' + currency + '"'));
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:amount-not-representable");
        assertThat(fieldsInError(answer)).containsExactly(field);
    }

    @Test
    void a_refund_that_is_too_large_names_its_amount_if_it_gave_one() {
        String id = captured(BODY);
        HttpResponse<String> tooMuch = giveBack(id, "{\"amount\": 1300}");
        assertThat(fieldsInError(tooMuch)).containsExactly("amount");
        giveBack(id, "{\"reference\": \"all\"}");
        HttpResponse<String> nothingLeft = giveBack(id, "{}");
        assertThat(type(nothingLeft)).isEqualTo("urn:chargeonce:problem:refund-too-large");
        assertThat(fieldsInError(nothingLeft)).isEmpty();
        assertThat(detail(nothingLeft)).contains("Nothing is left");
        assertThat(detailOf(giveBack(id, "{\"amount\": 1000000000000}"), "amount")).contains("999999999999");
    }

    @Test
    void what_is_no_refund_is_told_how_a_refund_looks() {
        String id = captured(BODY);
        for (String body : List.of("", "[]", "{")) {
            HttpResponse<String> answer = giveBack(id, body);
            assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:malformed-json");
            assertThat(detail(answer)).doesNotContain("payment_method");
        }
        assertThat(detail(giveBack(id, "[]"))).contains("{}", "amount", "reference");
        HttpResponse<String> card = giveBack(id, "{\"reference\": \"4242424242424242\"}");
        assertThat(detail(card)).doesNotContain("payment_method");
        HttpResponse<String> text = giveBack(id, "{}", "Content-Type", "text/plain");
        assertThat(fieldsInError(text)).containsExactly("Content-Type");
        assertThat(detail(text)).doesNotContain("payment");
    }

    @Test
    void a_key_that_is_taken_by_something_else_is_itself_what_is_wrong() {
        String id = captured(BODY);
        HttpResponse<String> asRefund = giveBack(id, "{}", "Idempotency-Key", key);
        assertThat(type(asRefund)).isEqualTo("urn:chargeonce:problem:idempotency-key-reused");
        assertThat(fieldsInError(asRefund)).containsExactly("Idempotency-Key");
        assertThat(detailOf(asRefund, "Idempotency-Key")).contains("names a payment");

        giveBack(id, "{\"amount\": 1}", "Idempotency-Key", key + "r");
        HttpResponse<String> asPayment = world.pay(key + "r", BODY);
        assertThat(fieldsInError(asPayment)).containsExactly("Idempotency-Key");
        assertThat(detailOf(asPayment, "Idempotency-Key")).contains("names a refund of " + id);
        String line = batch(Json.with(BODY, "idempotency_key", '"' + key + "r\"")).getFirst();
        assertThat(fieldsOf(line)).containsExactly("idempotency_key");
    }

    @Test
    void a_key_is_called_what_the_sender_calls_it() {
        HttpResponse<String> missing = world.send(world.request("/v1/payments").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(BODY)).build());
        assertThat(fieldsInError(missing)).containsExactly("Idempotency-Key");
        assertThat(fieldsInError(world.pay("two words", BODY))).containsExactly("Idempotency-Key");

        List<String> answers = batch(Json.with(BODY, "amount", "1"), Json.with(BODY, "idempotency_key", "7"),
                Json.with(BODY, "idempotency_key", "\"two words\""),
                "{\"amount\": 0, \"curency\": 1}", Json.with(Json.with(BODY, "idempotency_key", "\"k\""), "order", "1"));
        assertThat(answers.subList(0, 3)).allSatisfy(line -> {
            assertThat(fieldsOf(line)).containsExactly("idempotency_key");
            assertThat(Json.at(line, "body")).doesNotContain("Idempotency-Key", "header");
        });
        assertThat(fieldsOf(answers.get(3)))
                .containsExactlyInAnyOrder("idempotency_key", "amount", "curency", "currency", "payment_method");
        assertThat(fieldsOf(answers.get(4))).containsExactly("order");
        assertThat(Json.texts(Json.at(answers.get(4), "body"), "errors", "detail").getFirst()).contains("idempotency_key, amount");
    }

    @Test
    void a_line_that_cannot_be_read_says_which_line_of_the_batch_it_is() {
        List<String> answers = batch("", "{\"a\": 1,}", "[]", " ".repeat(70_000));
        assertThat(answers).extracting(line -> Json.text(line, "line")).containsExactly("2", "3", "4");
        assertThat(detailOfLine(answers.get(0))).contains("Line 2, column 9 ").doesNotContain("line 1");
        assertThat(detailOfLine(answers.get(1))).contains("idempotency_key, amount, currency and payment_method");
        assertThat(detailOfLine(answers.get(2))).contains("line");
    }

    @Test
    void a_header_or_a_parameter_that_is_wrong_is_named_too() {
        assertThat(fieldsInError(world.send(world.payment(key, BODY).header("Duplicate-Guard", "maybe").build())))
                .containsExactly("Duplicate-Guard");
        assertThat(fieldsInError(world.pay(key, Json.with(BODY, "rail", "\"bank_debit\"")))).containsExactly("rail");
        String debit = Json.with(Json.with(BODY, "rail", "\"bank_debit\""), "payment_method", "\"mandate_m\"");
        assertThat(fieldsInError(world.pay(key, Json.with(debit, "amount", "100000000000")))).as("SEPA's files have no room for it")
                .containsExactly("amount");
        assertThat(fieldsInError(world.get("/v1/payments"))).containsExactly("reference");
        assertThat(fieldsInError(world.get("/v1/payments?limit=0&cursor=x"))).containsExactly("reference", "limit", "cursor");
        assertThat(fieldsInError(world.get("/v1/payments?reference=r&limit=1&limit=2"))).containsExactly("limit");
    }
}
