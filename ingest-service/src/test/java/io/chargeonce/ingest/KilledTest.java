// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static io.chargeonce.ingest.IngestWorld.BODY;
import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SIGKILL in the middle of requests; the client repeats each request that got no answer. */
class KilledTest {

    private static final int PAYMENTS = 2_000;
    private static final int AT_ONCE = 32;
    private static final List<String> KEYS = IntStream.range(0, PAYMENTS).mapToObj(i -> "order-" + i).toList();

    private final String databaseUrl = TestStack.newDatabase(IngestWorld::prepare);
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, String> accepted = new ConcurrentHashMap<>();
    private int port;
    private IngestProcess process;

    @BeforeEach
    void start() throws IOException {
        port = IngestProcess.freePort();
        process = startProcess();
    }

    @AfterEach
    void stop() {
        process.close();
        http.close();
    }

    private IngestProcess startProcess() throws IOException {
        return IngestProcess.start(databaseUrl, TestStack.kafka().bootstrapServers(), "killed-test", port);
    }

    @Test
    void two_thousand_payments_that_are_repeated_until_answered_are_each_there_once() throws IOException {
        var random = new Random();
        try (var senders = Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
            KEYS.forEach(key -> senders.submit(() -> untilAnswered(key)));
            for (int third = 0; third < 2; third++) {
                int enough = third * PAYMENTS / 3 + random.nextInt(PAYMENTS / 3) + 1;
                Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(1)).until(() -> accepted.size() >= enough);
                process.close();
                process = startProcess();
            }
        }
        assertThat(accepted).hasSize(PAYMENTS);
        Map<String, String> first = Map.copyOf(accepted);
        try (var senders = Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
            KEYS.forEach(key -> senders.submit(() -> untilAnswered(key)));
        }

        assertThat(accepted).isEqualTo(first);
        assertThat(Map.copyOf(accepted).values()).doesNotHaveDuplicates();
        assertThat(IngestWorld.count(databaseUrl, "SELECT count(*) FROM operation")).isEqualTo(PAYMENTS);
        assertThat(IngestWorld.count(databaseUrl, "SELECT count(*) FROM audit_record WHERE action = 'payment.accepted'"))
                .isEqualTo(PAYMENTS);
    }

    private void untilAnswered(String key) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(50))
                .pollInSameThread().until(() -> isAnswered(key));
    }

    private boolean isAnswered(String key) throws InterruptedException {
        try {
            HttpResponse<String> answer = http.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/payments"))
                    .header("Authorization", "Bearer test_acme").header("Idempotency-Key", key).header("Content-Type", "application/json")
                    .timeout(Duration.ofSeconds(20)).POST(BodyPublishers.ofString(BODY)).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 202) {
                return false;
            }
            accepted.put(key, answer.body());
            return true;
        } catch (IOException killed) {
            return false;
        }
    }
}
