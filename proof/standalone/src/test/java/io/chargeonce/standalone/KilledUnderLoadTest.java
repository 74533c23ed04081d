// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.Checker;
import io.chargeonce.checker.CheckVerdict;
import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.testkit.SandboxMerchants;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --data} is killed with SIGKILL while payments stream in, and started again over the same directory. */
@Tag("proof")
class KilledUnderLoadTest {

    private static final int SENDERS = 8;
    private static final int BEFORE_THE_KILL = 150;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*\"(pay_[a-z2-7]{26})\"");

    @TempDir
    Path data;
    private final Map<String, Integer> ports = new ConcurrentHashMap<>();
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Map<String, ClientCall> calls = new ConcurrentHashMap<>();
    private Process process;

    @AfterEach
    void stop() {
        process.destroy();
        Awaitility.await().atMost(PATIENCE).until(() -> !process.isAlive());
    }

    @Test
    void everything_accepted_before_is_settled_and_nothing_twice() throws Exception {
        ports.putAll(FreePorts.ofUp());
        process = up();
        sendUntilKilled();
        process = up();
        for (ClientCall unsure : List.copyOf(calls.values())) {
            if (unsure.result() == ClientCall.Result.UNKNOWN) {
                Awaitility.await().atMost(PATIENCE).until(() -> send(unsure.key()).result() == ClientCall.Result.OK);
            }
        }
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(this::isAtRest);

        CheckVerdict verdict = Checker.check(CheckEvidence.of(jdbcUrl(), "postgres", "", "127.0.0.1:" + ports.get("kafka"),
                List.of(Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2)),
                List.of(URI.create("http://127.0.0.1:" + ports.get("stripe")), URI.create("http://127.0.0.1:" + ports.get("adyen"))))
                .calls(new Calls.InMemory(List.copyOf(calls.values()))));
        assertThat(verdict.balanced()).as(verdict.json()).isTrue();
        assertThat(calls).hasSizeGreaterThanOrEqualTo(BEFORE_THE_KILL);
    }

    private void sendUntilKilled() throws Exception {
        var number = new AtomicInteger();
        var accepted = new AtomicInteger();
        try (var senders = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < SENDERS; i++) {
                senders.submit(() -> {
                    while (process.isAlive()) {
                        if (send("order-" + number.incrementAndGet()).result() == ClientCall.Result.OK) {
                            accepted.incrementAndGet();
                        }
                    }
                    return null;
                });
            }
            Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> accepted.get() >= BEFORE_THE_KILL);
            process.destroyForcibly().waitFor();
        }
    }

    private ClientCall send(String key) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.get("ingest") + "/v1/payments"))
                .timeout(Duration.ofSeconds(10)).header("Authorization", "Bearer " + SandboxMerchants.ACME_TOKEN)
                .header("Idempotency-Key", key).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"amount\": 1299, \"currency\": \"%s\", \"payment_method\": \"pm_card_visa\"}"
                        .formatted(currency(key))))
                .build();
        ClientCall call;
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            Matcher id = ID.matcher(answer.body());
            call = answer.statusCode() == 202 && id.find()
                    ? call(key, ClientCall.Result.OK, Optional.of(id.group(1)))
                    : call(key, ClientCall.Result.UNKNOWN, Optional.empty());
        } catch (IOException | InterruptedException lost) {
            call = call(key, ClientCall.Result.UNKNOWN, Optional.empty());
        }
        calls.merge(key, call, (before, now) -> before.result() == ClientCall.Result.OK ? before : now);
        return call;
    }

    private static ClientCall call(String key, ClientCall.Result result, Optional<String> payment) {
        return new ClientCall("acme", key, new ClientCall.Content(1299, currency(key), "pm_card_visa"), result, payment);
    }

    /** Pounds go to Adyen, euros to Stripe. */
    private static String currency(String key) {
        return key.hashCode() % 2 == 0 ? "GBP" : "EUR";
    }

    private boolean isAtRest() throws Exception {
        try (var connection = DriverManager.getConnection(jdbcUrl(), "postgres", ""); var statement = connection.createStatement();
             var result = statement.executeQuery("""
                     SELECT (SELECT count(*) FROM chargeonce.outbox) + count(*) FROM chargeonce.operation_now
                      WHERE state NOT IN ('succeeded', 'declined', 'dead')
                     """)) {
            result.next();
            return result.getLong(1) == 0;
        }
    }

    private String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + ports.get("postgres") + "/chargeonce";
    }

    /** Returns when it says that it is up. */
    private Process up() throws IOException {
        Path said = Files.createTempFile(data, "up", ".out");
        var command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-Xmx1g", "-XX:+UseSerialGC",
                "-cp", System.getProperty("java.class.path"), "-Dchargeonce.log=" + data.resolve("up.log"),
                "io.chargeonce.app.Main", "up", "--data", data.resolve("kept").toString(), "--tiers", "500ms,1s,2s"));
        ports.forEach((name, port) -> command.addAll(List.of("--" + name + "-port", "" + port)));
        Process started = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            try (Stream<String> lines = Files.lines(said)) {
                return lines.anyMatch(line -> line.startsWith("Up after"));
            } finally {
                assertThat(started.isAlive()).as(Files.readString(said)).isTrue();
            }
        });
        assertThat(Files.readAllLines(said)).filteredOn(line -> !line.contains(data.toString()) && !line.startsWith("WARNING: "))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
        return started;
    }
}
