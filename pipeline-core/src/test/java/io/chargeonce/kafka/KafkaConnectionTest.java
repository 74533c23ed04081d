// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaConnectionTest {

    @Test
    void a_properties_file_reaches_every_client(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("kafka.properties"), "security.protocol=SASL_SSL\nlinger.ms=7\n");
        KafkaConnection connection = KafkaConnection.of("kafka:9092", Optional.of(file));

        assertThat(new ConsumerSettings(connection, "g", GroupProtocol.CONSUMER).properties()).containsEntry("security.protocol",
                "SASL_SSL");
        assertThat(new ProducerSettings(connection, "c").properties()).containsEntry("linger.ms", "7");
        assertThat(connection.clientProperties()).containsEntry("bootstrap.servers", "kafka:9092");
    }

    @Test
    void a_new_client_has_the_password_that_is_in_the_file_then(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("kafka.properties"), "sasl.jaas.config=old\n");
        KafkaConnection connection = KafkaConnection.of("kafka:9092", Optional.of(file));
        var producers = new ProducerSettings(connection, "c");
        Files.writeString(file, "sasl.jaas.config=new\nacks=0\n");

        assertThat(connection.clientProperties()).containsEntry("sasl.jaas.config", "new");
        assertThat(producers.properties()).containsEntry("sasl.jaas.config", "new").containsEntry("acks", "all");
    }

    /** As while it is being written: the next client would send data in the clear. */
    @Test
    void a_file_that_has_lost_its_line_about_tls_makes_no_client(@TempDir Path directory) throws IOException {
        String whole = "sasl.jaas.config=new\nsecurity.protocol=SASL_SSL\n";
        Path file = Files.writeString(directory.resolve("kafka.properties"), whole);
        KafkaConnection connection = KafkaConnection.of("kafka:9092", Optional.of(file));
        for (String half : new String[] {"", "sasl.jaas.config=new\n", whole.replace("_SSL", "_PLAINTEXT"),
            whole + "ssl.endpoint.identification.algorithm=\n"}) {
            Files.writeString(file, half);
            assertThatThrownBy(connection::clientProperties).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(file.toString()).hasMessageNotContaining("new\n");
        }
        Files.writeString(file, whole.replace("new", "newer"));
        assertThat(connection.clientProperties()).containsEntry("sasl.jaas.config", "newer");
    }

    @Test
    void every_property_that_carries_a_guarantee_is_refused_with_its_reason() {
        assertThatThrownBy(() -> new KafkaConnection("kafka:9092", Map.of("acks", "1", "enable.auto.commit", "true", "linger.ms", "5")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("acks (an acknowledged record must survive the leader)")
                .hasMessageContaining("enable.auto.commit (only what is complete may be committed)")
                .hasMessageNotContaining("linger.ms");
    }

    @Test
    void a_file_that_can_not_be_read_is_named(@TempDir Path directory) {
        Path missing = directory.resolve("missing.properties");

        assertThatThrownBy(() -> KafkaConnection.of("kafka:9092", Optional.of(missing))).hasMessageContaining(missing.toString());
    }

    @Test
    void guarantees_are_fixed() {
        KafkaConnection connection = new KafkaConnection("kafka:9092", Map.of());

        assertThat(new ConsumerSettings(connection, "g", GroupProtocol.CLASSIC).properties())
                .containsEntry("enable.auto.commit", false)
                .containsEntry("auto.offset.reset", "earliest")
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("group.id", "g")
                .containsEntry("group.protocol", "classic");
        assertThat(new ProducerSettings(connection, "c").properties())
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", true)
                .containsEntry("compression.type", "lz4");
    }

    @Test
    void passwords_are_not_printed() {
        KafkaConnection connection = new KafkaConnection("kafka:9092", Map.of("sasl.jaas.config", "hunter2"));

        assertThat(connection.toString()).doesNotContain("hunter2");
        assertThat(new ConsumerSettings(connection, "g", GroupProtocol.CONSUMER).toString()).doesNotContain("hunter2");
    }
}
