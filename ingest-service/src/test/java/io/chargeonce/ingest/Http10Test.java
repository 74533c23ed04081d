// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Health checkers and old proxies speak HTTP/1.0: no Host, one request a connection, no chunks. */
class Http10Test {

    private static IngestWorld world;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    /** All that the server sends until it closes the connection. */
    private static String raw(String... parts) throws IOException {
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            socket.setSoTimeout(30_000);
            for (String part : parts) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().flush();
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String payment(String headers) {
        return "POST /v1/payments HTTP/1.0\r\nAuthorization: Bearer test_acme\r\nIdempotency-Key: " + key
                + "\r\nContent-Type: application/json\r\n" + headers + "\r\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost: pay.example.com\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\n\r\n"})
    void a_request_gets_its_answer_whole_and_then_the_connection_is_closed(String request) throws IOException {
        String answer = raw(request);
        assertThat(answer).startsWith("HTTP/1.1 200 ").containsIgnoringCase("connection: close").containsIgnoringCase("content-length: ")
                .doesNotContainIgnoringCase("transfer-encoding").endsWith("</html>\n");
    }

    @Test
    void a_payment_is_accepted_and_the_same_over_either_version() throws IOException {
        assertThat(raw(payment("Content-Length: " + BODY.length() + "\r\n") + BODY)).startsWith("HTTP/1.1 202 ").contains("\"accepted\"");
        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void a_head_that_arrives_in_pieces_is_read_whole() throws IOException {
        String head = payment("Content-Length: " + BODY.length() + "\r\n");
        int split = head.indexOf(" HTTP/1.0") + 5;
        assertThat(raw(head.substring(0, split), head.substring(split, split + 20), head.substring(split + 20), BODY.substring(0, 9),
                BODY.substring(9))).startsWith("HTTP/1.1 202 ");
    }

    /** RFC 9112, 6.1: a proxy of the older version may have taken the body for something else. */
    @Test
    void chunks_are_refused_for_that_version_has_none() throws IOException {
        String answer = raw(payment("Transfer-Encoding: chunked\r\n") + "0\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("urn:chargeonce:problem:bad-http");
        assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'")).isZero();
    }

    @Test
    void a_batch_is_refused_and_told_what_it_needs() throws IOException {
        String answer = raw("POST /v1/payments/batch HTTP/1.0\r\nAuthorization: Bearer test_acme\r\n"
                + "Content-Type: application/x-ndjson\r\nContent-Length: 3\r\n\r\n{}\n");
        assertThat(answer).startsWith("HTTP/1.1 505 ").contains("Send the batch over HTTP/1.1").doesNotContain("\"line\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"GET / HTTP/1.2\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/0.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"})
    void another_version_is_refused_with_the_versions_that_there_are(String request) throws IOException {
        assertThat(raw(request)).matches("(?s)HTTP/1.1 (400|505) .*").contains("HTTP/1.1 or HTTP/1.0");
    }

    /** Else each would hold a connection for as long as it likes. */
    @ParameterizedTest
    @ValueSource(strings = {"X: %s\r\n\r\n", "%s"})
    void the_limit_of_headers_holds_here_too(String headers) throws IOException {
        assertThat(raw("GET / HTTP/1.0\r\n" + headers.formatted("x".repeat(30_000)))).startsWith("HTTP/1.1 4");
    }
}
