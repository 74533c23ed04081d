// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static io.chargeonce.ingest.IngestWorld.type;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.merchants.FairShares;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostBatchTest {

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

    private static String line(String key) {
        return Json.with(Json.with(BODY, "reference", '"' + key + '"'), "idempotency_key", '"' + key + '"');
    }

    private static HttpRequest.Builder batch(String lines) {
        return world.request("/v1/payments/batch").header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(lines));
    }

    private static List<String> answers(String lines) {
        HttpResponse<String> answer = world.send(batch(lines).build());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
        return answer.body().lines().toList();
    }

    @Test
    void every_line_is_answered_in_order_as_if_it_had_come_alone() {
        List<String> answers = answers(String.join("\n", line(key), line(key + "-2"), line(key)));

        assertThat(answers).extracting(line -> Json.text(line, "line")).containsExactly("1", "2", "3");
        assertThat(answers).extracting(line -> Json.text(line, "status")).containsOnly("202");
        assertThat(answers).extracting(line -> Json.text(line, "idempotency_key")).containsExactly(key, key + "-2", key);
        assertThat(Json.at(answers.get(2), "body")).isEqualTo(Json.at(answers.get(0), "body"));
        HttpResponse<String> alone = world.pay(key, Json.with(BODY, "reference", '"' + key + '"'));
        assertThat(alone.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(Json.at(answers.getFirst(), "body")).isEqualTo(alone.body());
        assertThat(Json.text(Json.at(answers.getFirst(), "headers"), "Location"))
                .isEqualTo("/v1/payments/" + Json.text(alone.body(), "id"));
    }

    @Test
    void a_token_that_is_revoked_while_a_batch_is_open_pays_for_no_line_after_five_seconds() throws Exception {
        world.execute("INSERT INTO merchant_token (token_sha256, merchant_id) VALUES (sha256('test_leaked'), 'acme')");
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST /v1/payments/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_leaked\r\n"
                    + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            var answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(sent(out, answers, 0)).contains("\"status\":202");
            world.execute("UPDATE merchant_token SET revoked_at = now() WHERE token_sha256 = sha256('test_leaked')");
            var line = new int[1];
            String refused = Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(200))
                    .until(() -> sent(out, answers, ++line[0]), answer -> !answer.contains("\"status\":202"));
            assertThat(refused).contains("\"status\":401", "token-revoked");
            assertThat(world.count("SELECT count(*) FROM idempotency_key WHERE idempotency_key = '" + key + "-" + line[0] + "'")).isZero();
        }
    }

    /** Sends a line in a chunk of its own, and returns its answer. */
    private String sent(OutputStream out, BufferedReader answers, int number) throws IOException {
        String line = line(key + "-" + number) + "\n";
        out.write((Integer.toHexString(line.getBytes(StandardCharsets.UTF_8).length) + "\r\n" + line + "\r\n")
                .getBytes(StandardCharsets.UTF_8));
        out.flush();
        String answer = answers.readLine();
        while (!answer.startsWith("{\"line\":" + (number + 1))) {
            answer = answers.readLine();
        }
        return answer;
    }

    @Test
    void a_bad_line_fails_alone() {
        List<String> answers = answers(
                String.join("\n", line(key), "{nonsense", Json.with(BODY, "amount", "1"), Json.with(line(key + "-b"), "amount", "-1"),
                        Json.with(line(key), "amount", "7"), Json.with(BODY, "idempotency_key", "7"), "x".repeat(70_000), "[]",
                        line(key + "-last")));

        assertThat(answers).extracting(line -> Json.text(line, "status"))
                .containsExactly("202", "400", "400", "400", "409", "400", "413", "400", "202");
        assertThat(answers).extracting(line -> Json.text(Json.at(line, "body"), "type").replace("urn:chargeonce:problem:", ""))
                .containsExactly("", "malformed-json", "idempotency-key-missing", "invalid-request", "idempotency-key-reused",
                        "idempotency-key-invalid", "body-too-large", "malformed-json", "");
    }

    @Test
    void of_lines_that_share_a_key_or_a_purchase_the_first_one_wins() {
        String twins = IntStream.range(0, 100).mapToObj(i -> line(key + "-" + i) + "\n"
                + Json.with(line(key + "-" + i), "amount", "7") + "\n").collect(Collectors.joining());
        assertThat(answers(twins)).extracting(line -> Json.text(line, "status"))
                .isEqualTo(IntStream.range(0, 200).mapToObj(i -> i % 2 == 0 ? "202" : "409").toList());

        String clicks = IntStream.range(200, 300).mapToObj(i -> line(key + "-" + i) + "\n"
                + Json.with(line(key + "-" + i), "idempotency_key", '"' + key + "-again-" + i + '"') + "\n").collect(Collectors.joining());
        HttpResponse<String> guarded = world.send(batch(clicks).setHeader("Authorization", "Bearer test_hooli").build());
        assertThat(guarded.body().lines()).extracting(line -> Json.text(line, "status"))
                .isEqualTo(IntStream.range(0, 200).mapToObj(i -> i % 2 == 0 ? "202" : "409").toList());
    }

    @Test
    void a_batch_goes_no_faster_than_its_merchant_may_send_and_no_line_is_refused_for_that() {
        world.execute("UPDATE merchant SET requests_per_second = 2 WHERE merchant_id = 'initech'");
        String lines = IntStream.range(0, 5).mapToObj(i -> line(key + "-" + i)).collect(Collectors.joining("\n"));
        long start = System.nanoTime();
        HttpResponse<String> answer = world.send(batch(lines).setHeader("Authorization", "Bearer test_initech").build());

        assertThat(answer.body().lines()).hasSize(5).allSatisfy(line -> assertThat(Json.text(line, "status")).isEqualTo("202"));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).as("the request and five lines, at two a second, two of them at once")
                .isGreaterThan(Duration.ofMillis(1_900));
    }

    @Test
    void a_card_number_in_a_line_is_refused_and_not_repeated() {
        List<String> answers = answers(String.join("\n", Json.with(line(key), "description", "\"4242.4242.4242.4242\""),
                Json.with(line(key), "idempotency_key", "\"4242424242424242\""), line(key + "-last")));

        assertThat(answers).extracting(line -> Json.text(line, "status")).containsExactly("400", "400", "202");
        assertThat(answers).extracting(line -> Json.texts(Json.at(line, "body"), "errors", "field"))
                .containsExactly(List.of("description"), List.of("idempotency_key"), List.of());
        assertThat(answers.subList(0, 2)).allSatisfy(line -> assertThat(line).contains("card-number-not-allowed").doesNotContain("4242"));
        assertThat(world.tablesThatHold("4242")).isZero();
    }

    @Test
    void thousands_of_lines_go_through_in_order() {
        List<String> keys = IntStream.range(0, 3000).mapToObj(i -> key + "-" + i).toList();
        List<String> left = keys;
        // A starved machine may refuse lines as too many. Those are sent again, as a client does.
        while (!left.isEmpty()) {
            List<String> answers = answers(left.stream().map(PostBatchTest::line).collect(Collectors.joining("\n")));
            assertThat(answers).extracting(line -> Json.text(line, "idempotency_key")).isEqualTo(left);
            assertThat(answers).extracting(line -> Json.text(line, "status")).isSubsetOf("202", "503").contains("202");
            left = answers.stream().filter(line -> Json.text(line, "status").equals("503"))
                    .map(line -> Json.text(line, "idempotency_key")).toList();
        }
        assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key LIKE '" + key + "%'")).isEqualTo(3000);
    }

    @Test
    void an_answer_comes_before_the_next_line_is_sent() throws IOException {
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            out.write(("POST /v1/payments/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\n"
                    + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (int i = 1; i <= 3; i++) {
                String line = line(key + "-" + i).replace("\n", " ") + "\n";
                out.write((Integer.toHexString(line.length()) + "\r\n" + line + "\r\n").getBytes(StandardCharsets.US_ASCII));
                out.flush();
                String wanted = "{\"line\":" + i + ",";
                assertThat(in.lines().filter(answer -> answer.startsWith(wanted)).findFirst()).isPresent();
            }
            out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            assertThat(in.lines().anyMatch("0"::equals)).isTrue();
        }
    }

    @Test
    void what_is_no_batch_is_refused_as_a_whole() {
        assertThat(type(world.send(batch("{}").setHeader("Content-Type", "application/json").build())))
                .isEqualTo("urn:chargeonce:problem:unsupported-media-type");
        assertThat(world.send(batch("{}").setHeader("Authorization", "Bearer unknown").build()).statusCode()).isEqualTo(401);
        assertThat(world.get("/v1/payments/batch").statusCode()).isEqualTo(405);
        assertThat(world.send(batch("").build()).body()).isEmpty();
    }

    @Test
    void a_chunk_that_would_fill_the_memory_is_refused() throws IOException {
        try (var socket = new Socket("127.0.0.1", world.service.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(("POST /v1/payments/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\n"
                    + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n{")
                    .getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readAllBytes();
            assertThat(new String(answer, StandardCharsets.US_ASCII)).doesNotContain("\r\n0\r\n");
        }
        assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
    }

    @Test
    void idle_batches_of_one_merchant_keep_neither_its_payments_nor_others_out() throws IOException {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < FairShares.BATCHES; i++) {
                idle.add(openBatch());
                assertThat(status(idle.getLast())).isEqualTo("HTTP/1.1 200 OK");
            }
            try (Socket oneMore = openBatch()) {
                assertThat(status(oneMore)).startsWith("HTTP/1.1 429 ");
            }
            HttpResponse<String> refused = world.send(batch(line(key)).build());
            assertThat(type(refused)).isEqualTo("urn:chargeonce:problem:too-many-at-once");
            assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(world.pay(key, BODY).statusCode()).isEqualTo(202);
            assertThat(world.meters.scrape()).contains("chargeonce_door_refused_total{door=\"ingest\",reason=\"batches_of_merchant\"");

            idle.removeLast().close();
            Awaitility.await().until(() -> world.send(batch(line(key + "-2")).build()).statusCode() == 200);
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    /** One line is answered, and then nothing more comes. */
    private Socket openBatch() throws IOException {
        var socket = new Socket("127.0.0.1", world.service.port());
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(("POST /v1/payments/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test_acme\r\n"
                + "Content-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n{}\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
    }
}
