// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.transport.ConnectionTimeouts;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A slow client loses its connection. Only in the last test is the connection idle. */
@Timeout(120)
class SlowClientsTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMillis(500);
    private static final String TO_PAY =
            "Host: x\r\nAuthorization: Bearer test_acme\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n"
                    + "Content-Length: 60000\r\n\r\n{";
    private static IngestWorld world;
    private static IngestService impatient;

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
        impatient = world.startAnother(new ConnectionTimeouts(SOON, SOON, SOON, SOON, NEVER));
    }

    @AfterAll
    static void stop() {
        impatient.close();
        world.close();
    }

    private static Socket connect(IngestService service) throws IOException {
        var socket = new Socket("127.0.0.1", service.port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A byte now and then, until the server closes the connection. */
    private static void awaitSentAway(String beginning) throws IOException {
        try (var socket = connect(impatient)) {
            send(socket, beginning);
            Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50)).until(() -> isClosedAfter(socket, "x"));
        }
    }

    private static boolean isClosedAfter(Socket socket, String more) throws IOException {
        try {
            send(socket, more);
            return false;
        } catch (SocketException closed) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"G", "GET /v1/payments/x HTTP/1.1\r\nHost: x\r\nX-Slow: "})
    void a_request_line_and_headers_have_to_come_in_time(String beginning) throws IOException {
        awaitSentAway(beginning);
    }

    @Test
    void so_does_a_body() throws IOException {
        awaitSentAway("POST /v1/payments HTTP/1.1\r\n" + TO_PAY);
    }

    @Test
    void and_one_that_nobody_wants_any_more() throws IOException {
        awaitSentAway("POST /v1/payments/x HTTP/1.1\r\n" + TO_PAY);
    }

    @Test
    void in_a_batch_something_has_to_come_now_and_then() throws IOException {
        try (var socket = connect(impatient)) {
            send(socket, "POST /v1/payments/batch HTTP/1.1\r\n" + TO_PAY.replace("/json", "/x-ndjson"));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).doesNotContain("\r\n0\r\n");
        }
    }

    @Test
    void who_asks_without_end_and_takes_no_answer_is_sent_away() throws IOException {
        try (var socket = connect(impatient)) {
            String asked = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000);
            Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(1)).until(() -> isClosedAfter(socket, asked));
        }
    }

    @Test
    void a_connection_on_which_nobody_says_anything_is_closed() throws IOException {
        try (var service = world.startAnother(new ConnectionTimeouts(NEVER, NEVER, NEVER, NEVER, SOON)); var socket = connect(service)) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
