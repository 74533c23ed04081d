// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Main;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Retries;
import io.chargeonce.vault.DataKeys;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every client of ours offers TLS 1.3, and TLS 1.2 with AEAD suites; nothing older. HttpsTest checks what ingest takes. */
class ModernTlsTest {

    private static final Set<Integer> VERSIONS = Set.of(0x0304, 0x0303);
    /** TLS 1.3's; then ECDHE with AES-GCM and ChaCha20-Poly1305. */
    private static final Set<Integer> SUITES = Set.of(0x1301, 0x1302, 0x1303, 0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9);
    /** No suite: it says that this client can do secure renegotiation. */
    private static final int SIGNAL = 0x00FF;

    @TempDir
    Path directory;

    private static void isModern(ClientHello.Listener listener, String who) throws Exception {
        ClientHello hello = listener.heard().get(60, TimeUnit.SECONDS);
        assertThat(hello.versions()).as(who).isNotEmpty().isSubsetOf(VERSIONS);
        assertThat(hello.suites()).as(who).hasSizeGreaterThan(3);
        assertThat(hello.suites()).as(who).filteredOn(suite -> suite != SIGNAL).isSubsetOf(SUITES);
    }

    private Process run(Map<String, String> environment, List<String> arguments) throws Exception {
        var builder = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), Main.class.getName()).directory(directory.toFile());
        builder.command().addAll(arguments);
        builder.redirectErrorStream(true).redirectOutput(directory.resolve("said").toFile());
        builder.environment().putAll(environment);
        return builder.start();
    }

    @Test
    void a_service_offers_nothing_old_to_postgres_and_kafka() throws Exception {
        Path key = Files.writeString(directory.resolve("key"), "sk_test_sandbox");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path kafkaFile = Files.writeString(directory.resolve("kafka.properties"), "security.protocol=SSL\n");
        Path dataKey = directory.resolve("data-key");
        DataKeys.add(dataKey);
        try (var postgres = new ClientHello.Listener(true); var kafka = new ClientHello.Listener(false)) {
            Process charge = run(Map.of("CHARGEONCE_STRIPE_API_KEY_FILE", key.toString(), "CHARGEONCE_DATA_KEY_FILE", dataKey.toString(),
                    "CHARGEONCE_KAFKA_PROPERTIES_FILE", kafkaFile.toString(),
                    "CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:" + kafka.port(),
                    "CHARGEONCE_DATABASE_URL", "jdbc:postgresql://127.0.0.1:%d/c?sslmode=require".formatted(postgres.port())),
                    List.of("charge"));
            try {
                isModern(postgres, "Postgres's driver");
                isModern(kafka, "Kafka's client");
            } finally {
                charge.destroyForcibly().waitFor();
            }
        }
    }

    /** The client for PSPs has no TLS settings of its own, so this may be any client of the process. */
    @Test
    void a_process_of_ours_offers_nothing_old_over_https() throws Exception {
        try (var server = new ClientHello.Listener(false)) {
            Process process = run(Map.of(), List.of("conformance", "--token", "x", "--url", "https://127.0.0.1:" + server.port()));
            try {
                isModern(server, "the JDK's HTTP client");
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void the_java_client_offers_nothing_old_in_any_process() throws Exception {
        try (var server = new ClientHello.Listener(false);
             var client = new PaymentClient(URI.create("https://127.0.0.1:" + server.port()), "token",
                     new Retries(1, Duration.ofMillis(1), Duration.ofMillis(1)))) {
            client.send(NewPayment.of("key", 1299, "EUR", "pm_card_visa"));
            isModern(server, "the Java client");
        }
    }
}
