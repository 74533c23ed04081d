// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.chargeonce.notifications.SendResult;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The socket goes to the checked address, and the certificate must be that of the name. */
class CertificateTest {

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final AtomicInteger REQUESTS = new AtomicInteger();

    @TempDir
    static Path directory;
    private static HttpsServer server;
    private static TlsSocketStrategy trusting;

    @BeforeAll
    static void start() throws Exception {
        Path file = directory.resolve("server.p12");
        var keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
                "server", "-keyalg", "EC", "-dname", "CN=hooks.example", "-ext", "san=dns:hooks.example", "-validity", "2", "-keystore",
                file.toString(), "-storetype", "PKCS12", "-storepass", new String(PASSWORD)).inheritIO().start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream bytes = Files.newInputStream(file)) {
            store.load(bytes, PASSWORD);
        }
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/", exchange -> {
            REQUESTS.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        trusting = new DefaultClientTlsStrategy(context);
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    private static SendResult post(String host, TlsSocketStrategy tls) throws Exception {
        var targets = new Targets(Set.of(host), name -> new InetAddress[] {InetAddress.getLoopbackAddress()});
        try (var http = new HttpPost(targets, Duration.ofSeconds(20), 1, tls, InstantSource.system())) {
            return http.post("https://%s:%d/".formatted(host, server.getAddress().getPort()), Map.of(), "{}");
        }
    }

    @Test
    void the_name_is_verified_although_the_socket_connects_to_an_address() throws Exception {
        int before = REQUESTS.get();
        assertThat(post("hooks.example", trusting)).isEqualTo(SendResult.delivered(204));
        assertThat(REQUESTS).hasValue(before + 1);
        assertThat(post("other.example", trusting).error()).contains("tls_failed");
        assertThat(REQUESTS).hasValue(before + 1);
    }

    @Test
    void a_certificate_that_is_not_trusted_gets_nothing() throws Exception {
        int before = REQUESTS.get();
        assertThat(post("hooks.example", DefaultClientTlsStrategy.createDefault()).error()).contains("tls_failed");
        assertThat(REQUESTS).hasValue(before);
    }
}
