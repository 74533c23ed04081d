// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.sandbox.TestStack;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that is asked to end by SIGTERM answers what is under way, over real sockets. */
@Timeout(120)
class DrainTest {

    private static final String HEAD = "Host: x\r\nAuthorization: Bearer test_acme\r\n";
    private static final String BATCH = "POST /v1/payments/batch HTTP/1.1\r\n" + HEAD
            + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static IngestWorld world;
    private IngestProcess process;
    private final String key = "key-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        world = IngestWorld.start();
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @BeforeEach
    void startProcess() throws IOException {
        process = world.startProcess();
    }

    @AfterEach
    void stopProcess() {
        process.close();
    }

    /** One connection of a client that speaks HTTP by hand. */
    private record Client(Socket socket, BufferedReader in) implements AutoCloseable {

        static Client connect(int port) throws IOException {
            var socket = new Socket("127.0.0.1", port);
            socket.setSoTimeout(60_000);
            return new Client(socket, new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
        }

        void sendChunk(String text) throws IOException {
            send(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
        }

        /** All that comes until the server closes the connection. */
        List<String> rest() {
            return in.lines().toList();
        }

        /** All that comes until the last chunk. */
        List<String> restOfChunks() {
            var lines = new ArrayList<String>();
            in.lines().peek(lines::add).anyMatch("0"::equals);
            return lines;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String payment(String key, String headers, int length) {
        return "POST /v1/payments HTTP/1.1\r\n" + HEAD + "Content-Type: application/json\r\nIdempotency-Key: " + key + "\r\n" + headers
                + "Content-Length: " + length + "\r\n\r\n";
    }

    private static String line(String key) {
        return Json.with(Json.with(BODY, "reference", '"' + key + '"'), "idempotency_key", '"' + key + '"').replace("\n", " ") + "\n";
    }

    private static void awaitClosedToOthers(int port) {
        Awaitility.await().until(() -> {
            try (var ignored = new Socket("127.0.0.1", port)) {
                return false;
            } catch (SocketException e) {
                // A connection that the closing socket had not taken yet is reset.
                return e instanceof ConnectException;
            }
        });
    }

    private static void awaitAccepted(String key) {
        Awaitility.await().until(() -> world.count("SELECT count(*) FROM operation WHERE idempotency_key = '" + key + "'") == 1);
    }

    @Test
    void a_request_whose_body_is_still_arriving_is_answered() throws IOException {
        try (var client = Client.connect(process.port())) {
            client.send(payment(key, "Expect: 100-continue\r\n", BODY.length()));
            assertThat(client.in().readLine()).contains("100");
            process.process().destroy();
            awaitClosedToOthers(process.port());
            client.send(BODY);

            assertThat(client.rest()).anyMatch(line -> line.contains(" 202 ")).anyMatch("Connection: close"::equalsIgnoreCase);
        }
        awaitAccepted(key);
        process.process().onExit().join();
    }

    @Test
    void who_waits_for_an_outcome_gets_the_acceptance_early() throws IOException {
        try (var client = Client.connect(process.port())) {
            client.send(payment(key, "Prefer: wait=30\r\n", BODY.length()) + BODY);
            awaitAccepted(key);
            process.process().destroy();

            assertThat(client.rest()).anyMatch(line -> line.contains(" 202 ")).anyMatch(line -> line.contains("\"accepted\""));
        }
        process.process().onExit().join();
    }

    @Test
    void an_open_batch_gets_the_answers_to_what_it_sent_and_is_ended_cleanly() throws IOException {
        try (var client = Client.connect(process.port())) {
            client.send(BATCH);
            client.sendChunk(line(key + "-1") + line(key + "-2") + line(key + "-3") + "{\"half");
            awaitAccepted(key + "-3");
            process.process().destroy();

            List<String> answers = client.rest();
            assertThat(answers.stream().filter(line -> line.startsWith("{\"line\""))).hasSize(3)
                    .allMatch(line -> Json.text(line, "status").equals("202"));
            assertThat(answers).endsWith("0", "");
        }
        process.process().onExit().join();
    }

    @Test
    void a_client_that_goes_on_sending_its_batch_gets_every_answer_and_the_end() throws IOException {
        try (var client = Client.connect(process.port())) {
            client.send(BATCH);
            client.sendChunk(line(key + "-0"));
            var answers = CompletableFuture.supplyAsync(client::restOfChunks);
            awaitAccepted(key + "-0");
            CompletableFuture<Void> ended = process.process().onExit().thenRun(() -> {});
            process.process().destroy();
            for (int i = 1; !ended.isDone() && !answers.isDone(); i++) {
                try {
                    client.sendChunk(line(key + "-" + i));
                } catch (IOException closed) {
                    break;
                }
            }

            assertThat(answers.join()).endsWith("0");
            long answered = answers.join().stream().filter(line -> line.startsWith("{\"line\"")).count();
            assertThat(world.count("SELECT count(*) FROM operation WHERE idempotency_key LIKE '" + key + "-%'")).isEqualTo(answered);
        }
    }

    @Test
    void it_is_not_ready_while_it_finishes_and_closes_connections_that_lie_idle() throws Exception {
        int adminPort = IngestProcess.freePort();
        String url = TestStack.newDatabase();
        IngestWorld.prepare(url);
        var settings = new IngestSettings(IngestWorld.pipeline(url, TestStack.kafka().bootstrapServers(), "payments",
                Optional.of(new Address("127.0.0.1", adminPort))), new Address("127.0.0.1", 0), 12, Duration.ofHours(24));
        try (var meters = Meters.of("test"); var service = IngestService.start(settings, meters);
             var client = Client.connect(service.port()); var idle = Client.connect(service.port());
             var admin = HttpClient.newHttpClient()) {
            client.send(payment(key, "Expect: 100-continue\r\n", BODY.length()));
            assertThat(client.in().readLine()).contains("100");
            assertThat(ready(admin, adminPort).statusCode()).isEqualTo(200);
            var closing = CompletableFuture.runAsync(service::close);

            assertThat(idle.rest()).isEmpty();
            assertThat(ready(admin, adminPort)).satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(503))
                    .satisfies(answer -> assertThat(answer.body()).contains("shutting down"));
            client.send(BODY);
            assertThat(client.rest()).anyMatch(line -> line.contains(" 202 "));
            closing.join();
        }
    }

    private static HttpResponse<String> ready(HttpClient client, int port) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready")).build(),
                BodyHandlers.ofString());
    }
}
