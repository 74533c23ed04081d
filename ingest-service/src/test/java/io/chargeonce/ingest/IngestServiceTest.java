// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.fieldsInError;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.Decoded;
import io.chargeonce.wire.PaymentJson;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IngestServiceTest {

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

    @Test
    void the_first_request_is_accepted() {
        HttpResponse<String> answer = world.pay(key, BODY);

        String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
        assertThat(answer.statusCode()).isEqualTo(202);
        assertThat(answer.headers().firstValue("Location")).hasValue("/v1/payments/" + id);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(answer.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(answer.body()).isEqualTo("""
                {"id":"%s","status":"accepted","amount":1299,"currency":"EUR","payment_method":"pm_card_visa",\
                "customer":"cus_7","reference":"order-1001","description":"two mugs","receipt_email":"a@example.com",\
                "rail":"card"}""".formatted(id));
    }

    @Test
    void a_repeat_gets_the_same_bytes_and_where_the_payment_stands_now() {
        HttpResponse<String> first = world.pay(key, BODY);
        world.become(key, "state = 'succeeded', sequence = 1");
        HttpResponse<String> second = world.pay(key, BODY);

        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
        assertThat(second.headers().firstValue("Content-Type")).isEqualTo(first.headers().firstValue("Content-Type"));
        assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(second.headers().firstValue("Payment-Status")).hasValue("succeeded");
        assertThat(expiry(second)).isBetween(ZonedDateTime.now().plusHours(23), ZonedDateTime.now().plusHours(24));
        assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'")).isOne();
    }

    @Test
    void a_repeat_after_an_erasure_gets_the_same_bytes_and_brings_nothing_back() {
        HttpResponse<String> first = world.pay(key, BODY);
        world.become(key, "state = 'succeeded', sequence = 1");
        String id = PaymentJson.MAPPER.readTree(first.body()).path("id").asString();
        world.execute("DELETE FROM outbox WHERE record_key = '" + id + "'");
        world.execute("SELECT erase_personal_data('acme', ARRAY['" + id + "'], 'alice', 'request 4711', 'run', true)");
        String ofKey = "FROM idempotency_key JOIN operation ON resource_id = operation_id WHERE operation_id = '" + id + "'";
        assertThat(world.count("SELECT count(*) " + ofKey + " AND customer = '[erased]' AND receipt_email = '[erased]'")).isOne();
        assertThat(world.count("SELECT count(*) FROM audit_record WHERE resource_id = '" + id + "' AND data::text LIKE '%example.com%'"))
                .as("the log never had it").isZero();

        HttpResponse<String> second = world.pay(key, BODY);
        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(world.count("SELECT count(*) " + ofKey + " AND customer = '[erased]' AND description = '[erased]'")).isOne();
        HttpResponse<String> other = world.pay(key, BODY.replace("1299", "1300"));
        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(other.body()).contains("amount").doesNotContain("\"customer\"", "receipt_email");
    }

    private static ZonedDateTime expiry(HttpResponse<String> answer) {
        return ZonedDateTime.parse(answer.headers().firstValue("Idempotency-Expires").orElseThrow(),
                DateTimeFormatter.RFC_1123_DATE_TIME);
    }

    @Test
    void blanks_field_order_and_a_rail_that_is_implied_make_no_other_request() {
        HttpResponse<String> first = world.pay(key, BODY);
        HttpResponse<String> second = world.pay(key, """
                {"description":"two mugs","receipt_email":"a@example.com","customer":"cus_7","reference":"order-1001",
                   "payment_method":"pm_card_visa","currency":"EUR","amount":1299}""");

        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void another_payload_under_the_same_key_is_refused_and_names_the_fields_but_no_values() {
        world.pay(key, BODY);
        HttpResponse<String> other = world.pay(key, """
                {"amount": 1300, "currency": "EUR", "payment_method": "pm_card_visa", "customer": "cus_7",
                 "description": "two mugs", "receipt_email": "a@example.com"}""");

        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(type(other)).isEqualTo("urn:chargeonce:problem:idempotency-key-reused");
        assertThat(other.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(other.headers().firstValue("Idempotency-Stored")).hasValue("false");
        assertThat(fieldsInError(other)).containsExactly("amount", "reference");
        assertThat(other.body()).doesNotContain("1299", "1300", "order-1001");
        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void a_quoted_key_is_the_same_key_as_a_bare_one() {
        HttpResponse<String> bare = world.pay(key, BODY);
        HttpResponse<String> quoted = world.pay('"' + key + '"', BODY);

        assertThat(quoted.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(quoted.body()).isEqualTo(bare.body());
    }

    @Test
    void a_request_without_a_key_is_refused() {
        HttpResponse<String> answer = world.send(world.request("/v1/payments")
                .header("Content-Type", "application/json").POST(BodyPublishers.ofString(BODY)).build());

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:idempotency-key-missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "two words", "\"a\\b\"", "a\tb"})
    void a_malformed_key_is_refused(String malformed) {
        HttpResponse<String> answer = world.pay(malformed, BODY);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:idempotency-key-invalid");
    }

    @Test
    void a_key_may_have_255_characters_and_no_more() {
        assertThat(world.pay("k".repeat(255), BODY).statusCode()).isEqualTo(202);
        assertThat(type(world.pay("k".repeat(256), BODY))).isEqualTo("urn:chargeonce:problem:idempotency-key-invalid");
    }

    @Test
    void two_keys_in_one_request_are_refused() {
        HttpResponse<String> answer = world.send(world.payment(key, BODY).header("Idempotency-Key", key).build());

        assertThat(type(answer)).isEqualTo("urn:chargeonce:problem:idempotency-key-invalid");
    }

    @Test
    void the_same_key_of_another_merchant_is_another_payment() {
        String ours = world.pay(key, BODY).body();
        HttpResponse<String> theirs = world.send(world.payment(key, BODY).setHeader("Authorization", "Bearer test_globex").build());

        assertThat(theirs.statusCode()).isEqualTo(202);
        assertThat(theirs.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(Json.text(theirs.body(), "id")).isNotEqualTo(Json.text(ours, "id"));
    }

    @Test
    void a_payment_of_another_merchant_is_not_there() {
        String path = world.pay(key, BODY).headers().firstValue("Location").orElseThrow();
        HttpResponse<String> foreign = world.send(world.request(path).setHeader("Authorization", "Bearer test_globex").build());

        assertThat(world.get(path).statusCode()).isEqualTo(200);
        assertThat(foreign.statusCode()).isEqualTo(404);
        assertThat(foreign.body()).isEqualTo(world.get("/v1/payments/pay_" + "a".repeat(26)).body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer test_nobody", "Bearer test_revoked", "Bearer", "Bearer ", "Basic dGVzdDp0ZXN0", "test_acme"})
    void who_has_no_valid_token_is_told_how_to_send_one(String authorization) {
        HttpResponse<String> answer = world.send(world.payment(key, BODY).setHeader("Authorization", authorization).build());

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(type(answer))
                .isEqualTo("urn:chargeonce:problem:" + (authorization.endsWith("revoked") ? "token-revoked" : "unauthenticated"));
        assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValueSatisfying(value -> assertThat(value).startsWith("Bearer"));
    }

    @Test
    void a_payment_shows_how_far_it_has_come() {
        String path = world.pay(key, BODY).headers().firstValue("Location").orElseThrow();
        assertThat(Json.text(world.get(path).body(), "status")).isEqualTo("accepted");
        assertThat(Json.at(world.get(path).body(), "attempts")).isEqualTo("[]");

        world.become(key, "state = 'scheduled', sequence = 1");
        assertThat(Json.text(world.get(path).body(), "status")).isEqualTo("processing");

        world.become(key,
                "state = 'declined', sequence = 2, psp_reference = 'pi_1', failure_cause = 'insufficient_funds', settled_at = now()");
        String declined = world.get(path).body();
        assertThat(Json.text(declined, "status")).isEqualTo("declined");
        assertThat(Json.text(declined, "decline_code")).isEqualTo("insufficient_funds");
        assertThat(Json.text(declined, "psp_reference")).isEqualTo("pi_1");
        assertThat(Json.text(declined, "settled_at")).isNotEmpty();
    }

    @Test
    void an_accepted_payment_reaches_the_main_topic_under_its_id() {
        String id = Json.text(world.pay(key, BODY).body(), "id");

        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = new KafkaConsumer<>(Map.<String, Object>of("bootstrap.servers", TestStack.kafka().bootstrapServers(),
                "group.id", key, "auto.offset.reset", "earliest"), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(world.topics.requests()));
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.stream().anyMatch(record -> new String(record.key()).equals(id));
            });
        }
        var record = records.stream().filter(candidate -> new String(candidate.key()).equals(id)).findFirst().orElseThrow();
        var request = ((Decoded.Request) Decoded.from(record.key(), record.value())).record();
        assertThat(request.step()).isOne();
        assertThat(request.merchant()).isEqualTo("acme");
        assertThat(request.idempotencyKey()).isEqualTo(key);
        assertThat(request.amount()).isEqualTo(1299);
        assertThat(new String(record.headers().lastHeader("ce_type").value())).isEqualTo("io.chargeonce.payment.request");
    }

    @Test
    void requests_are_counted_by_outcome() {
        world.pay(key, BODY);
        world.pay(key, BODY);
        world.pay("two words", BODY);

        for (String outcome : List.of("accepted", "replayed", "idempotency-key-invalid")) {
            assertThat(
                    world.meters.registry().get("chargeonce.ingest.requests").tags("route", "accept", "outcome", outcome).timer().count())
                    .isPositive();
        }
    }
}
