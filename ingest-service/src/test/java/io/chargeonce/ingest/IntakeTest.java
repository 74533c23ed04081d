// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.sandbox.TestStack;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class IntakeTest {

    private static IngestWorld world;
    private static Producer<byte[], byte[]> producer;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.startWithTopicsOf("acme", "hooli", "stranger");
        producer = new ProducerSettings(KafkaConnection.of(TestStack.kafka().bootstrapServers(), Optional.empty()), "test").newProducer();
    }

    @AfterAll
    static void stop() {
        producer.close();
        world.close();
    }

    private static String topic(String merchant) {
        return world.topics.intakePrefix() + merchant;
    }

    private static void send(String merchant, String key, String body) {
        var record = new ProducerRecord<>(topic(merchant), key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                body == null ? null : body.getBytes(StandardCharsets.UTF_8));
        producer.send(record);
        producer.flush();
    }

    private static void awaitOne(String sql) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> world.count(sql) == 1);
    }

    private List<String> refused(int expected) {
        return refused(expected, value -> Json.text(value, "idempotency_key").startsWith(key));
    }

    private List<String> refused(int expected, Predicate<String> wanted) {
        var refusals = new ArrayList<String>();
        try (var consumer = new KafkaConsumer<>(Map.<String, Object>of("bootstrap.servers", TestStack.kafka().bootstrapServers(),
                "group.id", key, "auto.offset.reset", "earliest"), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(world.topics.intakeRefused()));
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    String value = new String(record.value(), StandardCharsets.UTF_8);
                    if (wanted.test(value)) {
                        refusals.add(value);
                    }
                }
                return refusals.size() >= expected;
            });
        }
        return refusals;
    }

    @Test
    void a_record_is_the_same_payment_as_the_same_request_over_http() {
        send("acme", key, BODY);
        awaitOne("SELECT count(*) FROM operation WHERE merchant_id = 'acme' AND idempotency_key = '" + key + "'");
        send("acme", key, BODY);

        var answer = world.pay(key, BODY);
        assertThat(answer.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(world.count("SELECT count(*) FROM outbox WHERE topic LIKE '%refused' AND record_key = '" + key + "'")).isZero();
    }

    @Test
    void a_record_may_be_by_a_stored_payment_method_and_by_none_that_is_not_there() {
        String method = "pmt_" + "b".repeat(26);
        world.execute("SELECT store_payment_method('acme', '%s', 'cus_7', sha256('x'), ARRAY['stripe'], ARRAY['cus_1'], ARRAY['pm_1'])"
                .formatted(method));
        send("acme", key, Json.with(BODY, "payment_method", '"' + method + '"'));
        awaitOne("SELECT count(*) FROM operation WHERE payment_method = '" + method + "' AND idempotency_key = '" + key + "'");
        send("acme", key + "-other", Json.with(BODY, "payment_method", "\"pmt_x\""));
        assertThat(refused(1).getFirst()).contains("payment-method-not-known").doesNotContain("pmt_x");
    }

    @Test
    void a_refused_record_is_told_with_the_reason_and_without_its_content() {
        world.pay(key + "-reused", BODY);
        send("acme", key + "-reused", Json.with(BODY, "amount", "7"));
        send("acme", key + "-json", "{nonsense");
        send("acme", key + "-card", Json.with(BODY, "description", "\"4242424242424242\""));
        send("acme", key + "-large", " ".repeat(70_000));
        send("acme", key + "-empty", null);
        List<String> refusals = refused(5);

        assertThat(refusals).extracting(refusal -> Json.text(Json.at(refusal, "problem"), "type").replace("urn:chargeonce:problem:", ""))
                .containsExactlyInAnyOrder("idempotency-key-reused", "malformed-json", "card-number-not-allowed", "body-too-large",
                        "malformed-json");
        assertThat(refusals).allSatisfy(refusal -> {
            assertThat(refusal).doesNotContain("4242", "nonsense");
            assertThat(Json.text(refusal, "merchant")).isEqualTo("acme");
            assertThat(Json.text(Json.at(refusal, "source"), "topic")).isEqualTo(topic("acme"));
        });
        assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key LIKE '" + key + "%'")).isOne();
    }

    @Test
    void a_card_number_as_the_records_key_is_refused_and_written_nowhere() {
        try (var logs = new Logs()) {
            send("acme", "5555555555554444", BODY);
            send("acme", key + "-odd", Json.with(BODY, "reference", "\"5555_5555_5555_4444\""));
            List<String> refusals = refused(2, value -> Json.text(value, "idempotency_key").startsWith(key)
                    || value.contains("\"field\":\"record key\""));
            assertThat(refusals).allSatisfy(refusal -> assertThat(refusal).contains("card-number-not-allowed").doesNotContain("5555"));
            assertThat(refusals).anySatisfy(refusal -> assertThat(refusal).contains("\"field\":\"reference\""));
            assertThat(world.tablesThatHold("5555")).isZero();
            assertThat(logs.lines()).noneMatch(line -> line.contains("5555"));
        }
    }

    @Test
    void a_second_click_is_refused_here_too() {
        String body = Json.with(BODY, "reference", '"' + key + '"');
        send("hooli", key, body);
        awaitOne("SELECT count(*) FROM operation WHERE merchant_id = 'hooli' AND idempotency_key = '" + key + "'");
        send("hooli", key + "-2", body);

        assertThat(refused(1).getFirst()).contains("duplicate-suspected");
    }

    @Test
    void a_topic_without_a_merchant_is_not_read_until_there_is_one() {
        send("stranger", key, BODY);
        send("acme", key + "-after", BODY);
        awaitOne("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "-after'");
        assertThat(world.count("SELECT count(*) FROM operation WHERE merchant_id = 'stranger'")).isZero();

        world.execute("INSERT INTO merchant (merchant_id) VALUES ('stranger')");
        awaitOne("SELECT count(*) FROM operation WHERE merchant_id = 'stranger' AND idempotency_key = '" + key + "'");
    }
}
