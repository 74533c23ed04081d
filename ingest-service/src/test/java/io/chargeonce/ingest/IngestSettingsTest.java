// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.http.TlsFiles;
import io.chargeonce.runtime.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IngestSettingsTest {

    private static IngestSettings load(Map<String, String> environment) {
        return Settings.load(environment, IngestSettings.ALL, List.of()).read(IngestSettings::from);
    }

    private static Path secret(Path file, String text) throws IOException {
        return Files.setPosixFilePermissions(Files.writeString(file, text), PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void every_setting_has_a_default_that_fits_a_pipeline_on_one_machine() {
        IngestSettings settings = load(Map.of());

        assertThat(settings.address()).hasToString("127.0.0.1:8080");
        assertThat(settings.pipeline().databaseUrl()).isEqualTo("jdbc:postgresql://127.0.0.1:15432/chargeonce");
        assertThat(settings.pipeline().databaseUser()).isEqualTo("postgres");
        assertThat(settings.pipeline().databasePassword().get()).isEmpty();
        assertThat(settings.pipeline().kafka()).isEqualTo("127.0.0.1:19092");
        assertThat(settings.databaseConnections()).isEqualTo(16);
        assertThat(settings.pipeline().topicPrefix()).isEqualTo("payments");
        assertThat(settings.pipeline().eventSource()).isEqualTo("/chargeonce");
        assertThat(settings.chargeWithin()).isEqualTo(Duration.ofHours(24));
        assertThat(settings.pipeline().admin()).isEmpty();
        assertThat(settings.tls()).isEmpty();
    }

    @Test
    void every_setting_reaches_its_place(@TempDir Path directory) throws Exception {
        Path password = secret(directory.resolve("password"), "s3cret\n");
        Path kafka = Files.writeString(directory.resolve("kafka.properties"), "security.protocol=SSL\n");
        IngestSettings settings = load(Map.of(
                "CHARGEONCE_INGEST_ADDRESS", "0.0.0.0:9090",
                "CHARGEONCE_DATABASE_URL", "jdbc:postgresql://db/chargeonce?sslmode=verify-full",
                "CHARGEONCE_DATABASE_USER", "ingest",
                "CHARGEONCE_DATABASE_PASSWORD_FILE", password.toString(),
                "CHARGEONCE_INGEST_DATABASE_CONNECTIONS", "20",
                "CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", "kafka:9092",
                "CHARGEONCE_KAFKA_PROPERTIES_FILE", kafka.toString(),
                "CHARGEONCE_TOPIC_PREFIX", "pay",
                "CHARGEONCE_CHARGE_WITHIN", "2h",
                "CHARGEONCE_ADMIN_ADDRESS", "127.0.0.1:9100"));

        assertThat(settings.address()).hasToString("0.0.0.0:9090");
        assertThat(settings.pipeline().databaseUrl()).isEqualTo("jdbc:postgresql://db/chargeonce?sslmode=verify-full");
        assertThat(settings.pipeline().databaseUser()).isEqualTo("ingest");
        assertThat(settings.pipeline().databasePassword().get()).isEqualTo("s3cret");
        assertThat(settings.databaseConnections()).isEqualTo(20);
        assertThat(settings.pipeline().kafka()).isEqualTo("kafka:9092");
        assertThat(settings.pipeline().kafkaProperties()).contains(kafka);
        assertThat(settings.pipeline().topicPrefix()).isEqualTo("pay");
        assertThat(settings.chargeWithin()).isEqualTo(Duration.ofHours(2));
        assertThat(settings.pipeline().admin()).hasValueSatisfying(admin -> assertThat(admin).hasToString("127.0.0.1:9100"));
        assertThat(settings.toString()).doesNotContain("s3cret");
    }

    @Test
    void the_source_of_events_reaches_its_place_and_must_be_a_uri_reference() {
        assertThat(load(Map.of("CHARGEONCE_EVENT_SOURCE", "https://payments.example.com/eu")).pipeline().eventSource())
                .isEqualTo("https://payments.example.com/eu");
        assertThatThrownBy(() -> load(Map.of("CHARGEONCE_EVENT_SOURCE", "our shop"))).hasMessageContaining("a URI reference");
    }

    @Test
    void https_reaches_its_place_too(@TempDir Path directory) throws Exception {
        Path certificate = Files.writeString(directory.resolve("certificate.pem"), "c");
        Path key = secret(directory.resolve("key.pem"), "k");
        IngestSettings settings = load(
                Map.of("CHARGEONCE_INGEST_TLS_CERTIFICATE_FILE", certificate.toString(), "CHARGEONCE_INGEST_TLS_KEY_FILE", key.toString()));

        assertThat(settings.tls()).contains(new TlsFiles(certificate, key));
    }

    @Test
    void no_process_has_a_retention_of_its_own() {
        assertThatThrownBy(() -> load(Map.of("CHARGEONCE_DEDUPE_RETENTION", "45d"))).hasMessageContaining("CHARGEONCE_DEDUPE_RETENTION");
    }

    @Test
    void everything_out_of_range_is_reported_at_once() {
        assertThatThrownBy(() -> load(Map.of("CHARGEONCE_INGEST_DATABASE_CONNECTIONS", "1", "CHARGEONCE_CHARGE_WITHIN", "1y")))
                .hasMessageContainingAll("CHARGEONCE_INGEST_DATABASE_CONNECTIONS", "CHARGEONCE_CHARGE_WITHIN");
    }
}
