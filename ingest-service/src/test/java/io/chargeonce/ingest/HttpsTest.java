package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.StartFailed;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpsTest {

    @TempDir
    Path directory;

    private IngestService start(TlsFiles files, Meters meters) {
        var pipeline = IngestWorld.pipeline("jdbc:postgresql://127.0.0.1:1/x", "127.0.0.1:1", "payments", Optional.empty());
        return IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16, Duration.ofHours(24),
                Duration.ofDays(400), Optional.of(files)), meters);
    }

    /** A key and a certificate of its own for 127.0.0.1, by the JDK's own tool. */
    private KeyStore selfSigned() throws Exception {
        Path store = directory.resolve("store.p12");
        var keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", "x", "-keyalg", "RSA", "-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-storetype", "PKCS12",
                "-keystore", store.toString(), "-storepass", "changeit").redirectErrorStream(true).start();
        assertThat(keytool.waitFor()).isZero();
        return KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    }

    private Path pem(String name, String type, byte[] der) throws Exception {
        return Files.writeString(directory.resolve(name), "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type + "-----\n");
    }

    @Test
    void with_a_certificate_and_its_key_it_speaks_https() throws Exception {
        KeyStore store = selfSigned();
        Path certificate = pem("certificate.pem", "CERTIFICATE", store.getCertificate("x").getEncoded());
        Path key = pem("key.pem", "PRIVATE KEY", store.getKey("x", "changeit".toCharArray()).getEncoded());
        var trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry("x", store.getCertificate("x"));
        var trusted = TrustManagerFactory.getInstance("PKIX");
        trusted.init(trust);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);

        try (var meters = Meters.of("test"); var service = start(new TlsFiles(certificate, key), meters);
             var client = HttpClient.newBuilder().sslContext(context).build()) {
            var answer = client.send(HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + service.port() + "/openapi.yaml")).build(),
                    BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
        }
    }

    @Test
    void files_that_are_no_pem_are_said_in_one_line() throws Exception {
        Path nonsense = Files.writeString(directory.resolve("nonsense.pem"), "nonsense");
        try (var meters = Meters.of("test")) {
            assertThatThrownBy(() -> start(new TlsFiles(nonsense, nonsense), meters)).isInstanceOf(StartFailed.class)
                    .hasMessageContaining("HTTPS cannot be set up").satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
        }
    }

    @Test
    void one_file_without_the_other_is_refused() {
        assertThatThrownBy(() -> TlsFiles.of(Optional.of(Path.of("c")), Optional.empty()))
                .hasMessageContainingAll("CHARGEONCE_INGEST_TLS_CERTIFICATE_FILE", "CHARGEONCE_INGEST_TLS_KEY_FILE");
        assertThat(TlsFiles.of(Optional.empty(), Optional.empty())).isEmpty();
    }
}
