// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaBrokerTest {
    @TempDir
    Path directory;

    @Test
    void topics_records_and_offsets_survive_a_stop_and_a_start() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(directory, 0)) {
            createTopic(broker.bootstrapServers(), "kept");
            send(broker.bootstrapServers(), "kept", "first");
            assertThat(read(broker.bootstrapServers(), "kept", "group", "classic")).isEqualTo("first");
        }
        try (KafkaBroker broker = KafkaBroker.start(directory, 0)) {
            send(broker.bootstrapServers(), "kept", "second");
            assertThat(read(broker.bootstrapServers(), "kept", "group", "classic")).isEqualTo("second");
        }
    }

    @Test
    void a_broker_that_was_killed_starts_again_over_its_directory() throws Exception {
        int port = LoopbackPort.choose("Kafka", 0);
        Process process = LeftBehind.start("kafka", directory, port);
        String servers = LoopbackPort.HOST + ":" + port;
        createTopic(servers, "before");
        send(servers, "before", "written before the kill");
        LeftBehind.kill(process);
        try (KafkaBroker broker = KafkaBroker.start(directory, port)) {
            assertThat(read(broker.bootstrapServers(), "before", "group", "consumer")).isEqualTo("written before the kill");
        }
    }

    @Test
    void a_guarded_address_lets_in_only_a_user_that_was_made() throws Exception {
        int port = LoopbackPort.choose("Kafka", 0);
        try (KafkaBroker broker = KafkaBroker.start(directory, 0, List.of(new KafkaBroker.Guarded(port, port)));
             Admin inside = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Map<String, Object> outside = Map.of("bootstrap.servers", LoopbackPort.HOST + ":" + port, "security.protocol", "SASL_PLAINTEXT",
                    "sasl.mechanism", "SCRAM-SHA-256", "sasl.jaas.config",
                    "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"u\" password=\"p\";");
            try (Admin stranger = Admin.create(outside)) {
                assertThatThrownBy(() -> stranger.listTopics().names().get()).hasCauseInstanceOf(SaslAuthenticationException.class);
            }
            inside.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion("u",
                    new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "p"))).all().get();
            try (Admin known = Admin.create(outside)) {
                assertThat(known.describeCluster().nodes().get()).singleElement()
                        .satisfies(node -> assertThat(node.port()).isEqualTo(port));
            }
        }
    }

    @Test
    void both_group_protocols_are_on() throws Exception {
        String broker = TestStack.kafka().bootstrapServers();
        String topic = "protocols-" + UUID.randomUUID();
        createTopic(broker, topic);
        send(broker, topic, "x");
        assertThat(read(broker, topic, topic + "-classic", "classic")).isEqualTo("x");
        assertThat(read(broker, topic, topic + "-consumer", "consumer")).isEqualTo("x");
    }

    @Test
    void a_port_in_use_is_refused_in_one_line() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LoopbackPort.HOST))) {
            assertThatThrownBy(() -> KafkaBroker.start(directory, taken.getLocalPort()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Kafka cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .message().doesNotContain("\n");
        }
    }

    @Test
    void a_directory_in_use_is_refused_in_one_line_and_its_broker_goes_on() throws Exception {
        try (KafkaBroker first = KafkaBroker.start(directory, 0)) {
            assertThatThrownBy(() -> KafkaBroker.start(directory, 0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Kafka cannot use " + directory + ": it is in use by another one")
                    .message().doesNotContain("\n");
            createTopic(first.bootstrapServers(), "still-here");
        }
    }

    private static void createTopic(String servers, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }
    }

    private static void send(String servers, String topic, String value) throws Exception {
        try (var producer = new KafkaProducer<>(Map.<String, Object>of("bootstrap.servers", servers),
                new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, value)).get();
        }
    }

    /** The one record that the group has not yet committed. */
    private static String read(String servers, String topic, String group, String protocol) {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers, "group.id", group,
                "group.protocol", protocol, "auto.offset.reset", "earliest", "enable.auto.commit", "false");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            var records = consumer.poll(Duration.ofSeconds(1));
            for (int polls = 0; records.isEmpty() && polls < 30; polls++) {
                records = consumer.poll(Duration.ofSeconds(1));
            }
            consumer.commitSync();
            assertThat(records.count()).isEqualTo(1);
            return records.iterator().next().value();
        }
    }
}
