// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the web server refuses before anything of it is believed. */
class HttpLimitsTest {

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

    @Test
    void a_body_of_exactly_64_kib_is_read_and_one_byte_more_is_not() {
        assertThat(world.pay(key, padded(64 * 1024)).statusCode()).isEqualTo(202);

        HttpResponse<String> larger = world.pay(key, padded(64 * 1024 + 1));
        assertThat(larger.statusCode()).isEqualTo(413);
        assertThat(type(larger)).isEqualTo("urn:chargeonce:problem:body-too-large");
    }

    @Test
    void a_body_that_does_not_say_its_length_has_the_same_limit() {
        byte[] body = padded(70 * 1024).getBytes(StandardCharsets.UTF_8);
        HttpResponse<String> answer = world.send(world.payment(key, "")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))).build());

        assertThat(answer.statusCode()).isEqualTo(413);
    }

    private static String padded(int bytes) {
        return BODY + " ".repeat(bytes - BODY.length());
    }

    @ParameterizedTest
    @ValueSource(ints = {70_000, 900_000})
    void the_connection_serves_on_after_a_refused_body(int bytes) {
        world.pay(key, padded(bytes));

        assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
    }

    @Test
    void a_client_that_wants_one_answer_has_its_connection_closed_behind_it() throws IOException {
        String request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write((request + request).getBytes(StandardCharsets.US_ASCII));
            String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answers.split("HTTP/1.1 200 ")).as("answers").hasSize(2);
        }
    }

    @Test
    void a_body_without_end_is_not_read_to_its_end() throws IOException {
        String answer = raw("POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\n"
                + "Idempotency-Key: " + key + "\r\nContent-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n{");

        assertThat(answer).startsWith("HTTP/1.1 413 ").contains("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "GET /v1/payments/x HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n",
        "GET /v1/payments/%s HTTP/1.1\r\nHost: x\r\n\r\n"})
    void headers_and_request_lines_have_a_limit(String request) throws IOException {
        String answer = raw(request.formatted("x".repeat(20_000)));

        assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*").contains("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense\r\n\r\n", "POST /v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET /v1/payments/%00 HTTP/1.1\r\nHost: x\r\nA\0B: 1\r\n\r\n", "GET /v1/payments/x HTTP/1.1\r\nno colon\r\n\r\n"})
    void what_is_no_http_is_answered_and_not_repeated(String request) throws IOException {
        String answer = raw(request);

        assertThat(answer).startsWith("HTTP/1.1 400 ").doesNotContain("nonsense", "no colon", "Exception");
    }

    /** Both were payments, for the web server takes them. */
    @ParameterizedTest
    @ValueSource(
            strings = {"post /v1/payments HTTP/1.1\r\n", "pOST /v1/payments HTTP/1.1\r\n", "POST /v1/payments HTTP/1.1\r\n: nameless\r\n"})
    void what_a_proxy_may_read_in_another_way_is_no_payment_and_ends_the_connection(String begin) throws IOException {
        String answer = raw(begin + "Host: x\r\nAuthorization: Bearer test_acme\r\nIdempotency-Key: " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY);

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("urn:chargeonce:problem:bad-http")
                .containsIgnoringCase("connection: close");
        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    /** A proxy that lets only some paths through must know them all. */
    @ParameterizedTest
    @ValueSource(strings = {"//v1/payments", "/v1//payments", "/v1%2fpayments", "/v1/payments;a=b", "/v1;a/payments", "/v1/./payments",
        "/x/../v1/payments", "/v1/payments/.", "/v1/payments/", "/%761/payments", "/v1/payments%20", "/v1/payments%00", "/v1\\payments",
        "/v1/pay%6Dents", "/v1/%2e%2e/v1/payments", "/V1/payments", "http://x/v1/payments"})
    void only_one_spelling_of_a_path_leads_anywhere(String path) throws IOException {
        String answer = raw("POST " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\nIdempotency-Key: " + key
                + "\r\nContent-Type: application/json\r\nContent-Length: " + BODY.length() + "\r\n\r\n" + BODY);

        assertThat(answer).matches("(?s)HTTP/1.1 40[04] .*");
        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void a_key_that_is_no_ascii_is_refused() throws IOException {
        String answer = raw("POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\n"
                + "Idempotency-Key: schl\u00fcssel\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");

        assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
    }

    @Test
    void a_request_without_credential_is_refused_before_its_body_is_read() throws IOException {
        String answer = raw("POST /v1/payments HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n");

        assertThat(answer).startsWith("HTTP/1.1 401 ");
    }

    @Test
    void a_client_that_leaves_mid_body_leaves_nothing_behind() throws IOException {
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            socket.getOutputStream().write(("POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\n"
                    + "Idempotency-Key: " + key + "\r\nContent-Type: application/json\r\nContent-Length: " + BODY.length()
                    + "\r\n\r\n" + BODY.substring(0, 50)).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(world.pay(key, BODY).headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    /** The answer's first bytes: as much as arrives at once, or until the server closes. */
    private static String raw(String request) throws IOException {
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            InputStream answer = socket.getInputStream();
            byte[] bytes = new byte[4096];
            int read = answer.read(bytes);
            return new String(bytes, 0, Math.max(0, read), StandardCharsets.ISO_8859_1);
        }
    }
}
