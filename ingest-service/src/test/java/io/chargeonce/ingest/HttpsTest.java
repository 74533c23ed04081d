// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.ingest.transport.ConnectionTimeouts;
import io.chargeonce.http.TlsFiles;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.StartFailed;
import io.chargeonce.tracing.Tracing;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpsTest {

    /** Making a key takes seconds. */
    @TempDir
    static Path made;
    private static Pair one;
    private static Pair other;
    private static Meters meters;
    private static IngestService shared;
    @TempDir
    Path directory;

    @BeforeAll
    static void make() throws Exception {
        one = Pair.make(made, "one");
        other = Pair.make(made, "other");
        meters = Meters.of("test");
        shared = start(one.files, meters);
    }

    @AfterAll
    static void close() {
        shared.close();
        meters.close();
    }

    private static IngestService start(TlsFiles files, Meters meters) {
        var pipeline = IngestWorld.pipeline("jdbc:postgresql://127.0.0.1:1/x", "127.0.0.1:1", "payments", Optional.empty());
        return IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24),
                Optional.of(files)), meters);
    }

    /** A key and a certificate of its own for 127.0.0.1, by the JDK's own tool, beside each other as PEM. */
    private record Pair(Certificate trusted, TlsFiles files) {

        static Pair make(Path directory, String name) throws Exception {
            Path store = directory.resolve(name + ".p12");
            var keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                    "-alias", "x", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-storetype",
                    "PKCS12",
                    "-keystore", store.toString(), "-storepass", "changeit").redirectErrorStream(true).start();
            assertThat(keytool.waitFor()).isZero();
            KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
            Path certificate = pem(directory.resolve(name + ".crt"), "CERTIFICATE", keys.getCertificate("x").getEncoded());
            Path key = pem(directory.resolve(name + ".key"), "PRIVATE KEY", keys.getKey("x", "changeit".toCharArray()).getEncoded());
            return new Pair(keys.getCertificate("x"), new TlsFiles(certificate, key));
        }

        private static Path pem(Path file, String type, byte[] der) throws Exception {
            return Files.writeString(file, "-----BEGIN " + type + "-----\n"
                    + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type + "-----\n");
        }

        /** In files of their own, which a test may replace. */
        Pair copiedTo(Path directory, String name) throws Exception {
            return new Pair(trusted, new TlsFiles(Files.copy(files.certificate(), directory.resolve(name + ".crt")),
                    Files.copy(files.key(), directory.resolve(name + ".key"))));
        }

        SSLContext context() throws Exception {
            var trust = KeyStore.getInstance("PKCS12");
            trust.load(null, null);
            trust.setCertificateEntry("x", trusted);
            var managers = TrustManagerFactory.getInstance("PKIX");
            managers.init(trust);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        }

        /** @param offered protocol and suite */
        SSLSocket connect(int port, String... offered) throws Exception {
            var socket = (SSLSocket) context().getSocketFactory().createSocket(InetAddress.getByName("127.0.0.1"), port);
            socket.setEnabledProtocols(new String[] {offered[0]});
            socket.setEnabledCipherSuites(new String[] {offered[1]});
            return socket;
        }
    }

    @Test
    void with_a_certificate_and_its_key_it_speaks_https() throws Exception {
        try (var client = HttpClient.newBuilder().sslContext(one.context()).build()) {
            var answer = client.send(HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + shared.port() + "/openapi.yaml")).build(),
                    BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }

    @Test
    void a_client_that_offers_only_what_is_old_is_refused() throws Exception {
        for (String suite : new String[] {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
            "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"}) {
            try (SSLSocket client = one.connect(shared.port(), "TLSv1.2", suite)) {
                assertThatThrownBy(client::startHandshake).as(suite).isInstanceOf(SSLHandshakeException.class)
                        .hasMessageContaining("handshake_failure");
            }
        }
        try (SSLSocket client = one.connect(shared.port(), "TLSv1.2", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")) {
            client.startHandshake();
        }
        try (SSLSocket client = one.connect(shared.port(), "TLSv1.3", "TLS_AES_128_GCM_SHA256")) {
            client.startHandshake();
        }
    }

    /** Written by hand, for the JDK does not offer them any more. */
    @ParameterizedTest
    @ValueSource(strings = {"0301", "0302"})
    void a_client_that_speaks_tls_before_1_2_is_refused(String version) throws Exception {
        // Its version, 32 random bytes, no session, the suites ECDHE_RSA_AES_128_CBC_SHA and RSA_AES_128_CBC_SHA, no compression,
        // the group secp256r1 and its plain points.
        String hello = version + "42".repeat(32) + "00" + "0004c013002f" + "0100" + "000e" + "000a000400020017" + "000b00020100";
        byte[] record = HexFormat.of().parseHex("160301%04x01%06x%s".formatted(hello.length() / 2 + 4, hello.length() / 2, hello));
        try (var client = new Socket(InetAddress.getByName("127.0.0.1"), shared.port())) {
            client.getOutputStream().write(record);
            byte[] alert = client.getInputStream().readNBytes(7);
            // A fatal alert: 70 is protocol_version.
            assertThat(alert).startsWith(21).endsWith(2, 70);
        }
    }

    @Test
    void a_new_certificate_is_used_without_a_restart_and_a_key_that_does_not_fit_is_not() throws Exception {
        Pair old = one.copiedTo(directory, "server");
        Pair next = other.copiedTo(directory, "next");
        try (var meters = Meters.of("test"); var service = start(old.files, meters)) {
            await().untilAsserted(() -> assertThat(presented(service, old)).isEqualTo(old.trusted));
            assertThat(expires(meters)).isEqualTo(((X509Certificate) old.trusted).getNotAfter().toInstant());
            Files.move(next.files.certificate(), old.files.certificate(), StandardCopyOption.ATOMIC_MOVE);
            assertThat(presented(service, old)).as("its key is not there yet").isEqualTo(old.trusted);
            Files.move(next.files.key(), old.files.key(), StandardCopyOption.ATOMIC_MOVE);
            await().ignoreExceptions().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(presented(service, next)).isEqualTo(next.trusted));
            await().untilAsserted(() -> assertThat(expires(meters)).isEqualTo(((X509Certificate) next.trusted).getNotAfter().toInstant()));
        }
    }

    private static Instant expires(Meters meters) {
        return Instant.ofEpochSecond(
                (long) meters.registry().get("chargeonce.certificate.expires.timestamp.seconds").tag("door", "ingest").gauge().value());
    }

    private static Certificate presented(IngestService service, Pair trusted) throws Exception {
        try (SSLSocket client = trusted.connect(service.port(), "TLSv1.3", "TLS_AES_128_GCM_SHA256")) {
            client.startHandshake();
            return client.getSession().getPeerCertificates()[0];
        }
    }

    @Test
    void files_that_are_no_pem_or_no_pair_are_said_in_one_line() throws Exception {
        Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "nonsense", StandardCharsets.US_ASCII);
        var noPair = new TlsFiles(one.files.certificate(), other.files.key());
        try (var meters = Meters.of("test")) {
            for (TlsFiles files : new TlsFiles[] {new TlsFiles(nonsense, nonsense), noPair}) {
                assertThatThrownBy(() -> start(files, meters)).isInstanceOf(StartFailed.class)
                        .hasMessageContaining("HTTPS cannot be set up").satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
            }
        }
    }

    @Test
    void one_file_without_the_other_is_refused() {
        assertThatThrownBy(() -> TlsFiles.of("CHARGEONCE_INGEST_TLS", Optional.of(Path.of("c")), Optional.empty()))
                .hasMessageContainingAll("CHARGEONCE_INGEST_TLS_CERTIFICATE_FILE", "CHARGEONCE_INGEST_TLS_KEY_FILE");
        assertThat(TlsFiles.of("CHARGEONCE_INGEST_TLS", Optional.empty(), Optional.empty())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u0016\u0003\u0001"})
    void a_handshake_has_to_come_in_time(String beginning) throws Exception {
        Duration never = Duration.ofHours(1);
        var pipeline = IngestWorld.pipeline("jdbc:postgresql://127.0.0.1:1/x", "127.0.0.1:1", "payments", Optional.empty());
        try (var service = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24),
                Optional.of(one.files)), meters, Tracing.off(),
                new ConnectionTimeouts(Duration.ofMillis(500), never, never, never, never));
             var silent = new Socket("127.0.0.1", service.port())) {
            silent.setSoTimeout(60_000);
            silent.getOutputStream().write(beginning.getBytes(StandardCharsets.ISO_8859_1));

            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }
}
