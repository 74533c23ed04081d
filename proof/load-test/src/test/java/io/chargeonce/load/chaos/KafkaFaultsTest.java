// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Migrations;
import io.chargeonce.load.chaos.outsiders.MerchantProducer;
import io.chargeonce.load.proxy.Conditions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On a stage with its broker and without services: what a service would meet, and that the healing ends it. */
@Tag("proof")
class KafkaFaultsTest {

    private static CampaignStage stage;
    private final KafkaFaults faults = new KafkaFaults(stage, new Random(1), new MerchantProducer(stage.kafka(), "i", call -> {}));

    @BeforeAll
    static void start() {
        stage = new CampaignStage(Optional.empty(), Map.of(), List.of());
        stage.healBroker();
        Migrations.apply(stage.postgres.jdbcUrl(), "postgres", "");
        new PipelineTopics(stage.kafka()).create();
    }

    @AfterAll
    static void stop() {
        stage.close();
    }

    /** As a service has them. */
    private static Map<String, Object> client() {
        var client = new HashMap<String, Object>(Map.of("bootstrap.servers", "127.0.0.1:" + stage.toKafka.port(),
                "security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "SCRAM-SHA-256"));
        client.put("sasl.jaas.config", "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
                .formatted(PipelineTopics.USER, PipelineTopics.PASSWORD));
        return client;
    }

    private static Set<String> topics() throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(client())) {
            return admin.listTopics().names().get();
        }
    }

    private static void send(String topic) throws ExecutionException, InterruptedException {
        try (var producer = new KafkaProducer<>(client(), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, new byte[500])).get();
        }
    }

    @Test
    void a_service_speaks_to_the_broker_through_its_proxy_only() throws Exception {
        try (Admin admin = Admin.create(client())) {
            assertThat(admin.describeCluster().nodes().get()).singleElement()
                    .satisfies(node -> assertThat(node.port()).isEqualTo(stage.toKafka.port()));
        }
        stage.toKafka.set(Conditions.unreachable());
        Map<String, Object> impatient = client();
        impatient.putAll(Map.of("request.timeout.ms", "500", "default.api.timeout.ms", "1000"));
        try (Admin cutOff = Admin.create(impatient)) {
            assertThatThrownBy(() -> cutOff.listTopics().names().get()).isInstanceOf(ExecutionException.class);
        }
        stage.toKafka.set(Conditions.fair());
        assertThat(topics()).contains("payments.requests");
    }

    @Test
    void credentials_that_are_refused_are_right_again_after_the_healing() throws Exception {
        faults.refuseCredentials();
        assertThatThrownBy(KafkaFaultsTest::topics).hasCauseInstanceOf(SaslAuthenticationException.class);
        stage.healBroker();

        assertThat(topics()).contains("payments.requests");
    }

    @Test
    void records_that_are_refused_are_taken_again_after_the_healing() throws Exception {
        String topic = faults.refuseRecords().replaceAll(".* ", "");
        assertThatThrownBy(() -> send(topic)).hasCauseInstanceOf(RecordTooLargeException.class);
        stage.healBroker();

        send(topic);
    }

    @Test
    void a_topic_that_was_lost_is_there_again_after_the_healing_with_the_same_settings() throws Exception {
        for (int i = 0; i < 4; i++) {
            String fault = faults.loseTopic();
            String topic = fault.replaceAll(".* ", "");
            if (fault.startsWith("missing")) {
                assertThat(topics()).doesNotContain(topic);
            }
            stage.healBroker();
            assertThat(topics()).contains(topic);
        }
    }
}
