// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alert about certificates reads when ours expire, at Postgres and at Kafka. */
class CertificateExpiryTest {

    @TempDir
    private static Path directory;
    private static Path store;
    private static Path pem;
    private static Instant expires;

    private final MeterRegistry meters = new SimpleMeterRegistry();

    @BeforeAll
    static void make() throws Exception {
        store = directory.resolve("client.p12");
        var keytool =
                new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-keyalg", "EC",
                        "-alias", "us", "-dname", "CN=us", "-validity", "30", "-storepass", "secret", "-keystore", store.toString());
        assertThat(keytool.inheritIO().start().waitFor()).isZero();
        var certificate = (X509Certificate) KeyStore.getInstance(store.toFile(), "secret".toCharArray()).getCertificate("us");
        expires = certificate.getNotAfter().toInstant();
        // A key may stand before it in the same file.
        pem = Files.writeString(directory.resolve("client.pem"), "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
                + "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
                + "\n-----END CERTIFICATE-----\n");
    }

    private Instant expiry(String door) {
        return Instant
                .ofEpochSecond((long) meters.get("chargeonce.certificate.expires.timestamp.seconds").tag("door", door).gauge().value());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sslcert=PEM&sslkey=client.key", "sslkey=STORE&sslpassword=secret"})
    void our_certificate_at_postgres_is_watched(String parameters) {
        String files = parameters.replace("PEM", pem.toString()).replace("STORE", store.toString());
        CertificateExpiry.reportOurs(meters, "jdbc:postgresql://127.0.0.1:1/x?" + files, Optional.empty());
        assertThat(expiry("postgres")).isEqualTo(expires);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ssl.keystore.location=STORE\nssl.keystore.password=secret",
        "ssl.keystore.location=PEM\nssl.keystore.type=PEM", "ssl.keystore.type=PEM\nssl.keystore.certificate.chain=INLINE"})
    void our_certificate_at_kafka_is_watched_in_each_form_that_kafka_reads(String form) throws Exception {
        report(form.replace("PEM\n", pem + "\n").replace("STORE", store.toString())
                .replace("INLINE", Files.readString(pem).replaceAll("\\R", "\\\\n")));
        assertThat(expiry("kafka")).isEqualTo(expires);
    }

    @Test
    void without_a_certificate_there_is_no_series_and_an_unreadable_one_stops_nothing() throws Exception {
        report("security.protocol=SSL");
        assertThat(meters.getMeters()).isEmpty();
        report("ssl.keystore.location=/nowhere");
        assertThat(meters.get("chargeonce.certificate.expires.timestamp.seconds").gauge().value()).isNaN();
    }

    private void report(String kafkaProperties) throws IOException {
        Path file = Files.writeString(directory.resolve("kafka.properties"), kafkaProperties);
        CertificateExpiry.reportOurs(meters, "jdbc:postgresql://127.0.0.1:1/x", Optional.of(file));
    }
}
