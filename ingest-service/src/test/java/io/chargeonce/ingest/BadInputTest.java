// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.fieldsInError;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each wrong request gets one clear problem document, changes nothing, and is never quoted back. */
class BadInputTest {

    private static final String CARD = "4242424242424242";
    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    /** Nothing that this class sends may leave a trace. */
    @AfterAll
    static void stop() {
        long rows = world.count("SELECT (SELECT count(*) FROM idempotency_key) + (SELECT count(*) FROM operation)"
                + " + (SELECT count(*) FROM outbox) + (SELECT count(*) FROM audit_record)");
        world.close();
        assertThat(rows).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "amount         | 0", "amount | -5", "amount | 12.5", "amount | 12.0", "amount | 1e3", "amount | \"12\"",
        "amount         | 1000000000000", "amount | 99999999999999999999999", "amount | null", "amount | true",
        "amount         | [1]", "currency | \"eur\"", "currency | \"EURO\"", "currency | \"ZZZ\"", "currency | 978",
        "currency       | null", "payment_method | \"\"", "payment_method | \"  \"", "payment_method | null",
        "payment_method | {}", "customer | 7", "reference | \"\"", "reference | \"a\\u0000b\"", "reference | \"a\\nb\"",
        "customer | \"a\\u202eb\"", "reference | \"\\u2066order-1\\u2069\"", "description | \"a\\u200fb\"", "description | \"a\\u2028b\"",
        "description    | \"a\\u0085b\"", "description | \"\\ud800\"", "receipt_email | false", "receipt_email | \"jane\"",
        "receipt_email | \"a@b@c.d\"", "receipt_email | \"a b@c.d\"", "rail | 1"})
    void a_field_that_cannot_be_accepted_is_named(String field, String value) {
        String valid = Json.with(BODY, field, "\"placeholder\"");
        HttpResponse<String> answer = world.pay(key, valid.replace("\"placeholder\"", value));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:invalid-request");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Idempotency-Stored")).hasValue("false");
        assertThat(fieldsInError(answer)).containsExactly(field);
    }

    @ParameterizedTest
    @CsvSource({"10000,XXX", "10000,XTS", "100,XAU", "10000,USN", "10000,DEM", "550,MGA", "1234,LVL"})
    void an_amount_that_no_psp_can_move_is_refused_at_the_door(long amount, String currency) {
        String body = Json.with(Json.with(BODY, "amount", Long.toString(amount)), "currency", "\"" + currency + "\"");
        HttpResponse<String> answer = world.pay(key, body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:amount-not-representable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"payment_method", "customer", "reference", "description", "receipt_email"})
    void a_text_has_500_characters_and_no_more(String field) {
        HttpResponse<String> answer = world.pay(key, Json.with(BODY, field, '"' + "x".repeat(501) + '"'));

        assertThat(fieldsInError(answer)).containsExactly(field);
    }

    @Test
    void everything_that_is_wrong_is_named_at_once() {
        HttpResponse<String> answer = world.pay(key, "{\"amount\": 0, \"curency\": \"EUR\", \"customer\": 7}");

        assertThat(fieldsInError(answer))
                .containsExactlyInAnyOrder("amount", "curency", "currency", "payment_method", "customer");
    }

    @Test
    void another_rail_than_card_does_not_exist_yet() {
        HttpResponse<String> answer = world.pay(key, Json.with(BODY, "rail", "\"bank_debit\""));

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:rail-not-available");
        assertThat(Json.text(answer.body(), "detail")).contains("\"card\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "[]", "null", "7", "\"text\"", "{", "{\"amount\": 1", "{} {}", "{}x", "{'amount': 1}",
        "{\"amount\": 1, \"amount\": 2}", "{\"amount\": 01}", "{\"amount\": NaN}", "{\"a\": \"\u0001\"}", "{} // comment",
        "{\"amount\": 111111111111111111111111111111111}"})
    void what_is_not_one_strict_json_object_is_refused(String body) {
        HttpResponse<String> answer = world.pay(key, body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:malformed-json");
    }

    @Test
    void json_that_is_too_deep_is_refused() {
        HttpResponse<String> answer = world.pay(key, "{\"a\": " + "[".repeat(16) + "]".repeat(16) + "}");

        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:malformed-json");
    }

    /** Lenient parsers read all but the first: a slash in two bytes, and UTF-16 with and without a byte order mark. */
    private static List<byte[]> notUtf8() {
        return List.of(BODY.replace("two mugs", "caf\u00e9").getBytes(StandardCharsets.ISO_8859_1),
                BODY.replace("two mugs", "\u00c0\u00af").getBytes(StandardCharsets.ISO_8859_1),
                BODY.getBytes(StandardCharsets.UTF_16), BODY.getBytes(StandardCharsets.UTF_16LE));
    }

    @ParameterizedTest
    @MethodSource("notUtf8")
    void bytes_that_are_no_utf8_are_refused(byte[] body) {
        HttpResponse<String> answer = world.send(world.payment(key, "").POST(BodyPublishers.ofByteArray(body)).build());

        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:malformed-json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/xml", "application/jsonp", "multipart/form-data; boundary=x"})
    void another_content_type_is_refused(String type) {
        HttpResponse<String> answer = world.send(world.payment(key, BODY).setHeader("Content-Type", type).build());

        assertThat(answer.statusCode()).isEqualTo(415);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:unsupported-media-type");
    }

    @Test
    void a_compressed_body_is_refused() {
        HttpResponse<String> answer = world.send(world.payment(key, BODY).header("Content-Encoding", "gzip").build());

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:bad-http");
    }

    @ParameterizedTest
    @ValueSource(strings = {CARD, "4242 4242 4242 4242", "4242-4242-4242-4242", "card " + CARD + ", 12/30", "5-4242424242424242",
        "378282246310005", "\\u0034242424242424242", "4242\u00a04242\u00a04242\u00a04242", "4242.4242.4242.4242", "4242/4242/4242/4242",
        "4242_4242_4242_4242", "4242\u20134242\u20134242\u20134242", "4242\u200b4242\u200b4242\u200b4242", "42 42 42 42 42 42 42 42",
        "\uff14\uff12\uff14\uff124242 4242 4242", "\u0664\u0662\u0664\u0662 4242 4242 4242", CARD + "1230123", "4242424 242424242"})
    void a_card_number_is_refused_in_any_field_and_never_repeated(String text) {
        for (String field : new String[] {"payment_method", "customer", "reference", "description", "receipt_email"}) {
            HttpResponse<String> answer = world.pay(key, Json.with(BODY, field, '"' + text + '"'));

            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:card-number-not-allowed");
            assertThat(fieldsInError(answer)).containsExactly(field);
            assertThat(answer.body()).doesNotContain("4242", "3782");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"card\": {\"number\": \"" + CARD + "\"}}", "{\"card\": {\"number\": " + CARD + "}}",
        "{\"" + CARD + "\": 1}", "{\"a\": [[{\"" + CARD + "\": null}]]}", "{\"amount\": " + CARD + "}",
        "{\"a\": " + CARD, CARD + "x"})
    void a_card_number_where_none_is_expected_is_not_repeated_either(String body) {
        HttpResponse<String> answer = world.pay(key, body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).doesNotContain("4242");
    }

    @ParameterizedTest
    @ValueSource(strings = {CARD, "\"" + CARD + "\"", "4242-4242-4242-4242", "4242.4242/4242_4242", "42-42-42-42-42-42-42-42",
        "order-" + CARD, CARD + "1230123"})
    void a_card_number_as_the_key_is_refused_not_logged_and_kept_nowhere(String number) {
        try (var logs = new Logs()) {
            HttpRequest.Builder refund = world.payment(number, "{}").uri(URI.create(
                    "http://127.0.0.1:" + world.service.port() + "/v1/payments/pay_" + "a".repeat(26) + "/refunds"));
            for (HttpResponse<String> refusal : List.of(world.pay(number, BODY), world.send(refund.build()))) {
                assertThat(refusal.statusCode()).isEqualTo(400);
                assertThat(type(refusal)).isEqualTo("urn:chargeonce:problem:card-number-not-allowed");
                assertThat(fieldsInError(refusal)).containsExactly("Idempotency-Key");
                assertThat(refusal.headers().firstValue("Idempotency-Stored")).hasValue("false");
                assertThat(refusal.body() + refusal.headers().map()).doesNotContain("4242");
            }
            assertThat(world.tablesThatHold("4242")).isZero();
            assertThat(logs.lines()).noneMatch(line -> line.contains("4242"));
        }
    }

    /** The clock of a merchant's shop in milliseconds: the check digit fits one in ten of those. */
    @Test
    void a_number_that_no_card_has_is_not_refused_for_its_check_digit() {
        String mine = "order-1795309920919";
        HttpResponse<String> answer = world.pay(mine, Json.with(Json.with(BODY, "reference", '"' + mine + '"'), "amount", "0"));

        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:invalid-request");
        assertThat(fieldsInError(answer)).containsExactly("amount");
    }

    @Test
    void another_path_or_method_gets_a_problem_document_too() {
        HttpResponse<String> nowhere = world.get("/v2/payments");
        HttpResponse<String> get = world.get("/v1/payments/batch");
        HttpResponse<String> delete = world.send(world.request("/v1/payments/x").DELETE().build());

        assertThat(nowhere.statusCode()).isEqualTo(404);
        assertThat(get.statusCode()).isEqualTo(405);
        assertThat(get.headers().firstValue("Allow")).hasValue("POST");
        assertThat(delete.statusCode()).isEqualTo(405);
        assertThat(delete.headers().firstValue("Allow")).hasValue("GET");
        assertThat(type(nowhere)).isEqualTo("urn:chargeonce:problem:not-found");
        assertThat(type(get)).isEqualTo("urn:chargeonce:problem:method-not-allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "pay_", "pay_AAAAAAAAAAAAAAAAAAAAAAAAAA", "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa", "%27%20OR%201=1"})
    void an_id_that_is_not_there_is_404_whatever_it_looks_like(String id) {
        HttpResponse<String> answer = world.get("/v1/payments/" + id);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:not-found");
    }
}
