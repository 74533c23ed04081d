package io.chargeonce.psp.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedHttpTest {

    private final BoundedHttp http = new BoundedHttp(Duration.ofSeconds(5), Duration.ofMillis(300));

    @Test
    void a_body_that_drips_ends_at_the_deadline() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> drip(server));
            assertThatThrownBy(() -> http.exchange(post(server.getLocalPort()))).isInstanceOf(HttpTimeoutException.class)
                    .satisfies(e -> assertThat(WireFailure.unknown(e)).isEqualTo(UnknownCause.GATEWAY_TIMED_OUT));
        }
    }

    /** Ends when the client has gone. */
    private static void drip(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getOutputStream().write("HTTP/1.1 200 \r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            while (true) {
                client.getOutputStream().write(' ');
                Thread.sleep(10);
            }
        } catch (IOException | InterruptedException gone) {
            // The client gave up, as it should.
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
