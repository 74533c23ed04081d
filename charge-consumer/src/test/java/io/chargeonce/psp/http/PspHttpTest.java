// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PspHttpTest {

    @TempDir
    Path directory;

    private final PspHttp http = new PspHttp(Duration.ofSeconds(5), Duration.ofSeconds(20));

    @Test
    void a_body_that_drips_ends_at_the_deadline() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             var timer = Executors.newSingleThreadScheduledExecutor()) {
            timer.submit(() -> {
                OutputStream client = server.accept().getOutputStream();
                client.write("HTTP/1.1 200 \r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                return timer.scheduleAtFixedRate(() -> drip(client), 0, 10, TimeUnit.MILLISECONDS);
            });
            var impatient = new PspHttp(Duration.ofSeconds(5), Duration.ofMillis(300));
            assertThatThrownBy(() -> impatient.exchange(post(server.getLocalPort()))).isInstanceOf(HttpTimeoutException.class)
                    .satisfies(e -> assertThat(WireFailure.unknown(e)).isEqualTo(UnknownCause.GATEWAY_TIMED_OUT))
                    .satisfies(e -> assertThat(PspHttp.words("Stripe", (IOException) e))
                            .isEqualTo("Stripe gave no whole answer within 300 ms"));
        }
    }

    @Test
    void an_answer_without_end_is_given_up_after_a_megabyte_and_leaves_the_outcome_unknown() throws Exception {
        var sent = new AtomicLong();
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()); var sender = Executors.newSingleThreadExecutor()) {
            sender.submit(() -> {
                OutputStream client = server.accept().getOutputStream();
                client.write("HTTP/1.1 200 \r\nContent-Length: 99999999999\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                for (byte[] some = new byte[64 << 10]; sent.get() < 1L << 30; sent.addAndGet(some.length)) {
                    client.write(some);
                }
                return null;
            });
            assertThatThrownBy(() -> http.exchange(post(server.getLocalPort()))).isInstanceOf(IOException.class)
                    .satisfies(e -> assertThat(WireFailure.notSent(e)).isEmpty())
                    .satisfies(e -> assertThat(WireFailure.unknown(e)).isEqualTo(UnknownCause.ANSWER_UNREADABLE));
        }
        assertThat(sent).as("the connection was closed, so the server could not go on").hasValueLessThan(1L << 30);
    }

    /** It requires a client certificate. With TLS 1.2 it says so before the request can be sent, with TLS 1.3 after it may have been. */
    @ParameterizedTest
    @CsvSource({"TLSv1.3, true", "TLSv1.2, false"})
    void a_handshake_that_is_refused_when_the_request_has_left_leaves_the_outcome_unknown(String version, boolean hasLeft)
            throws Exception {
        KeyStore keys = keysOf127001();
        try (var server =
                (SSLServerSocket) tls(keys, true).getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
             var acceptor = Executors.newSingleThreadExecutor()) {
            server.setNeedClientAuth(true);
            server.setEnabledProtocols(new String[] {version});
            acceptor.submit(() -> server.accept().getInputStream().read());
            var trusting =
                    new PspHttp(Duration.ofSeconds(5), Duration.ofSeconds(20), HttpClient.newBuilder().sslContext(tls(keys, false)));
            var request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.getLocalPort() + "/v1/payments"))
                    .POST(HttpRequest.BodyPublishers.ofString("amount=1")).build();
            assertThatThrownBy(() -> trusting.exchange(request)).isInstanceOf(IOException.class)
                    .satisfies(e -> assertThat(WireFailure.notSent(e))
                            .isEqualTo(hasLeft ? Optional.empty() : Optional.of(FailureCause.TLS_HANDSHAKE_FAILED)));
        }
    }

    private KeyStore keysOf127001() throws Exception {
        Path store = directory.resolve("server.p12");
        var keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
                "server",
                "-keyalg", "EC", "-dname", "CN=test", "-ext", "san=ip:127.0.0.1", "-storetype", "PKCS12", "-keystore", store.toString(),
                "-storepass", "changeit").redirectErrorStream(true).start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        keys.setCertificateEntry("trusted", keys.getCertificate("server"));
        return keys;
    }

    private static SSLContext tls(KeyStore keys, boolean withKey) throws Exception {
        var own = KeyManagerFactory.getInstance("PKIX");
        own.init(keys, "changeit".toCharArray());
        var trusted = TrustManagerFactory.getInstance("PKIX");
        trusted.init(keys);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(withKey ? own.getKeyManagers() : null, trusted.getTrustManagers(), null);
        return tls;
    }

    private static void drip(OutputStream client) {
        try {
            client.write(' ');
        } catch (IOException e) {
            throw new UncheckedIOException("the client gave up, as it should: nothing drips any more", e);
        }
    }

    @Test
    void a_redirect_is_an_answer_and_not_followed() throws Exception {
        var requests = new AtomicInteger();
        try (var listener = HttpListener.start("The test", 0, request -> {
            requests.incrementAndGet();
            return new HttpAnswer.Full(307, Map.of("Location", "/elsewhere"), new byte[0]);
        })) {
            assertThat(http.exchange(post(listener.port())).statusCode()).isEqualTo(307);
            assertThat(requests).hasValue(1);
        }
    }

    @Test
    void the_current_span_is_sent_to_the_psp_if_there_is_one() throws Exception {
        var told = new ArrayList<String>();
        try (var listener = HttpListener.start("The test", 0, request -> {
            told.add(request.headers().getOrDefault("traceparent", "nothing"));
            return new HttpAnswer.Full(200, Map.of(), new byte[0]);
        })) {
            http.exchange(post(listener.port()));
            var span = SpanContext.create("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", TraceFlags.getSampled(),
                    TraceState.getDefault());
            try (var ignored = Span.wrap(span).makeCurrent()) {
                http.exchange(post(listener.port()));
            }
        }
        assertThat(told).containsExactly("nothing", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    }

    @Test
    void a_post_whose_answer_is_lost_is_not_sent_again() {
        var requests = new AtomicInteger();
        try (var listener = HttpListener.start("The test", 0, request -> {
            requests.incrementAndGet();
            return new HttpAnswer.Closed();
        })) {
            assertThatThrownBy(() -> http.exchange(post(listener.port()))).isInstanceOf(IOException.class)
                    .satisfies(e -> assertThat(WireFailure.notSent(e)).isEmpty())
                    .satisfies(e -> assertThat(WireFailure.unknown(e)).isEqualTo(UnknownCause.CONNECTION_LOST));
            assertThat(requests).hasValue(1);
        }
    }

    @Test
    void a_connection_that_never_stood_has_sent_nothing() throws Exception {
        int port;
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
        }
        assertThatThrownBy(() -> http.exchange(post(port))).isInstanceOf(ConnectException.class)
                .satisfies(e -> assertThat(WireFailure.notSent(e)).contains(FailureCause.CONNECTION_REFUSED));
    }

    private static HttpRequest post(int port) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .POST(HttpRequest.BodyPublishers.ofString("{}")).build();
    }
}
