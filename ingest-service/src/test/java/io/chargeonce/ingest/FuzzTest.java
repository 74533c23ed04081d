// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.ingest.batch.PostBatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of broken requests, each derived from a seed: none makes it fail, and none harms the service. */
class FuzzTest {

    private static final int REQUESTS = 700;
    private static final String[] TOKENS = {"{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\ud800", "null", "true", "1e999",
        "-0", "0.1", "99999999999999999999", "\"amount\"", "\"idempotency_key\":\"x\"", "\u0000", "\n", "\r\n", "\t", "\u00e9",
        "\"a\":".repeat(40), "[".repeat(50), "9".repeat(50), "x".repeat(600), "4242424242424242"};
    private static final String[] HEADERS = {"Idempotency-Key: \"\\\"", "Idempotency-Key:", "Prefer: wait=,,;=", "Duplicate-Guard: \u0001",
        "Authorization: Bearer", "Content-Type: application/json; charset=utf-16", "Expect: 100-continue", "Expect: nonsense",
        "Content-Length: 99", "Content-Length: x", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
        "Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: x", "Host: a b", "Host: [", "X\u0000: 1", ": novalue", " folded: x"};
    private static final String[] PATHS = {"/v1/payments", "/v1/payments/batch", "/v1/payments/pay_x", "/v1/payments?reference=%",
        "/v1/payments?reference=a&cursor=AAAA", "/v1//payments", "/v1/payments/../payments", "/%2e%2e/", "/openapi.yaml", "*", ""};
    private static IngestWorld world;

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    private static String pick(Random random, String[] from) {
        return from[random.nextInt(from.length)];
    }

    private static byte[] request(Random random) {
        var body = new StringBuilder(random.nextBoolean() ? BODY : Json.with(BODY, "idempotency_key", "\"k\""));
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(body.length());
            body.replace(at, Math.min(body.length(), at + random.nextInt(12)), pick(random, TOKENS));
        }
        byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        boolean batch = random.nextInt(4) == 0;
        var head = new StringBuilder(random.nextInt(5) == 0 ? "GET " : "POST ")
                .append(batch ? PostBatch.PATH : random.nextInt(3) == 0 ? pick(random, PATHS) : Contract.PAYMENTS).append(" HTTP/1.1\r\n")
                .append("Host: x\r\nConnection: close\r\nAuthorization: Bearer test_acme\r\n")
                .append("Idempotency-Key: fuzz-").append(random.nextInt(50)).append("\r\n")
                .append("Content-Type: ").append(batch ? "application/x-ndjson" : "application/json").append("\r\n");
        if (random.nextInt(3) == 0) {
            head.append(pick(random, HEADERS)).append("\r\n");
        }
        if (random.nextInt(8) != 0) {
            head.append("Content-Length: ").append(bytes.length).append("\r\n");
        }
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(start, start.length + bytes.length);
        System.arraycopy(bytes, 0, all, start.length, bytes.length);
        for (int i = random.nextInt(10) == 0 ? 1 + random.nextInt(8) : 0; i > 0; i--) {
            all[random.nextInt(all.length)] = (byte) random.nextInt(256);
        }
        return all;
    }

    private static String exchange(byte[] request, InetAddress from) throws IOException {
        var said = new ByteArrayOutputStream();
        try (var socket = new Socket("127.0.0.1", world.service.port(), from, 0)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request);
            socket.shutdownOutput();
            socket.getInputStream().transferTo(said);
        } catch (SocketException reset) {
            // Closed without a word, or after its last one.
        }
        return said.toString(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatever_is_sent_the_answer_is_no_failure_of_ours_and_the_service_lives(long seed) throws IOException {
        var random = new Random(seed);
        for (int i = 0; i < REQUESTS; i++) {
            byte[] request = request(random);
            // Each from an address of its own: an address whose tokens are broken again and again is answered late.
            String answer =
                    exchange(request, InetAddress.getByAddress(new byte[] {127, (byte) seed, (byte) (i >> 7), (byte) (1 + i % 128)}));

            assertThat(answer).as(() -> new String(request, StandardCharsets.ISO_8859_1))
                    .satisfiesAnyOf(said -> assertThat(said).isEmpty(),
                            said -> assertThat(said).startsWith("HTTP/1.1 ").doesNotContain("HTTP/1.1 500", "HTTP/1.1 503"))
                    .doesNotContain("\"status\":500", "Exception", "4242");
        }
        assertThat(world.pay("after-" + UUID.randomUUID(), BODY).statusCode()).isEqualTo(202);
        assertThat(world.count("SELECT count(*) FROM operation WHERE payment_method LIKE '%4242%' OR reference LIKE '%4242%'")).isZero();
    }
}
