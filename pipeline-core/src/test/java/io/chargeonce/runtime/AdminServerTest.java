// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminServerTest {
    private final Meters meters = Meters.of("a-service");
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final AdminServer admin = AdminServer.start(new Address("127.0.0.1", 0), Optional.empty(), meters::scrape, now::get);
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        client.close();
        admin.close();
        meters.close();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin.port() + path)).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void a_process_without_problems_is_up() throws Exception {
        admin.live("loop", Optional::empty);

        HttpResponse<String> answer = get("/health/live");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(answer.body()).isEqualToIgnoringNewLines("{\"status\":\"up\",\"checks\":{"
                + "\"loop\":{\"status\":\"up\"},\"memory\":{\"status\":\"up\"},\"virtual threads\":{\"status\":\"up\"}}}");
    }

    @Test
    void each_problem_is_named_and_what_is_not_ready_may_still_be_live() throws Exception {
        admin.ready("database", () -> Optional.of("\"refused\""));
        admin.ready("kafka", () -> {
            throw new IllegalStateException("gone");
        });
        admin.ready("loop", Optional::empty);

        HttpResponse<String> answer = get("/health/ready");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).isEqualToIgnoringNewLines("{\"status\":\"down\",\"checks\":{"
                + "\"database\":{\"status\":\"down\",\"problem\":\"\\\"refused\\\"\"},"
                + "\"kafka\":{\"status\":\"down\",\"problem\":\"java.lang.IllegalStateException: gone\"},"
                + "\"loop\":{\"status\":\"up\"}}}");
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void a_process_whose_heap_stays_full_is_not_live_and_one_that_had_no_room_once_is() {
        AtomicReference<Double> inUse = new AtomicReference<>(0.99);
        AtomicReference<Double> afterwards = new AtomicReference<>(0.4);
        var heap = new AdminServer.HeapHasRoom(inUse::get, () -> inUse.set(afterwards.get()), now::get);
        assertThat(heap.problem()).as("its last collection was long ago").isEmpty();
        inUse.set(0.99);
        afterwards.set(0.99);
        assertThat(heap.problem()).as("it may still get room").isEmpty();
        now.set(now.get().plusSeconds(61));
        assertThat(heap.problem()).contains("the heap has been full since 2026-01-01T00:00:00Z");
        afterwards.set(0.4);
        assertThat(heap.problem()).isEmpty();
        assertThat(AdminServer.HeapHasRoom.inUse()).isBetween(0.0, 0.98);
    }

    @Test
    void a_process_whose_virtual_threads_are_all_stuck_is_not_live_until_they_move_again() throws Exception {
        AtomicBoolean stuck = new AtomicBoolean(true);
        int carriers = Runtime.getRuntime().availableProcessors();
        CountDownLatch holding = new CountDownLatch(carriers);
        for (int carrier = 0; carrier < carriers; carrier++) {
            Thread.ofVirtual().start(() -> {
                holding.countDown();
                while (stuck.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        try {
            holding.await();
            assertThat(get("/health/live").statusCode()).as("it may still move").isEqualTo(200);
            now.set(now.get().plusSeconds(31));
            HttpResponse<String> answer = get("/health/live");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("no virtual thread has run since 2026-01-01T00:00:00Z");
        } finally {
            stuck.set(false);
        }
        await().until(() -> get("/health/live").statusCode() == 200);
    }

    @Test
    void metrics_are_in_the_text_format_and_tagged_with_the_service() throws Exception {
        meters.registry().counter("chargeonce.things").increment();

        HttpResponse<String> answer = get("/metrics");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("chargeonce_things_total{service=\"a-service\"} 1.0").contains("jvm_memory_used_bytes");
    }

    @Test
    void with_a_token_others_learn_only_whether_it_is_up() throws Exception {
        var metrics = HttpRequest.newBuilder();
        try (var guarded = AdminServer.start(new Address("127.0.0.1", 0), Optional.of(new Secret("t0ken")), meters::scrape)) {
            guarded.ready("database", () -> Optional.of("cannot be reached"));
            String base = "http://127.0.0.1:" + guarded.port();
            for (String authorization : new String[] {"Bearer wrong", "t0ken", "Bearer t0ken2", "Bearer "}) {
                metrics.uri(URI.create(base + "/metrics")).setHeader("Authorization", authorization);
                HttpResponse<String> refused = client.send(metrics.build(), HttpResponse.BodyHandlers.ofString());
                assertThat(refused.statusCode()).isEqualTo(401);
                assertThat(refused.body()).doesNotContain("jvm_");
            }
            HttpResponse<String> probed = client.send(HttpRequest.newBuilder(URI.create(base + "/health/ready")).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(probed.statusCode()).isEqualTo(503);
            assertThat(probed.body()).isEqualToIgnoringNewLines("{\"status\":\"down\"}");

            metrics.setHeader("Authorization", "Bearer t0ken");
            assertThat(client.send(metrics.build(), HttpResponse.BodyHandlers.ofString()).body()).contains("jvm_memory_used_bytes");
            metrics.uri(URI.create(base + "/health/ready"));
            assertThat(client.send(metrics.build(), HttpResponse.BodyHandlers.ofString()).body()).contains("cannot be reached");
        }
    }

    @ParameterizedTest
    @CsvSource({"evil.example, 401", "evil.example:9100, 401", "127.0.0.1.evil.example, 401", "localhost, 200", "localhost:9100, 200",
        "[::1]:9100, 200"})
    void without_a_token_a_name_that_another_owns_does_not_lead_to_the_metrics(String host, int status) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), admin.port())) {
            socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(host)
                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 " + status);
        }
    }

    @Test
    void other_paths_and_methods_are_refused() throws Exception {
        assertThat(get("/metrics/more").statusCode()).isEqualTo(404);
        assertThat(get("/").statusCode()).isEqualTo(404);
        HttpRequest post = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin.port() + "/metrics"))
                .POST(HttpRequest.BodyPublishers.noBody()).build();
        assertThat(client.send(post, HttpResponse.BodyHandlers.discarding()).statusCode()).isEqualTo(405);
    }

    @Test
    void requests_that_never_end_keep_few_threads_and_no_probe_out() throws Exception {
        var halfOpen = new ArrayList<Socket>();
        try {
            for (int i = 0; i < 200; i++) {
                halfOpen.add(new Socket("127.0.0.1", admin.port()));
                halfOpen.getLast().getOutputStream().write("GET /health/li".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(get("/health/live").statusCode()).isEqualTo(200);
            await().until(() -> adminThreads() <= 40);
        } finally {
            for (Socket socket : halfOpen) {
                socket.close();
            }
        }
    }

    private static long adminThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("admin-")).count();
    }

    @Test
    void a_request_that_comes_a_byte_at_a_time_is_not_waited_for() throws Exception {
        try (var impatient =
                AdminServer.start(new Address("127.0.0.1", 0), Optional.empty(), meters::scrape, now::get, Duration.ofMillis(500));
             var slow = new Socket("127.0.0.1", impatient.port())) {
            slow.getOutputStream().write("GET /health/li".getBytes(StandardCharsets.US_ASCII));
            assertThat(slow.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void a_client_that_reads_no_answers_is_disconnected() throws Exception {
        try (var impatient = AdminServer.start(new Address("127.0.0.1", 0), Optional.empty(), () -> "x".repeat(8 << 20), now::get,
                Duration.ofMillis(500));
             var slow = new Socket("127.0.0.1", impatient.port())) {
            slow.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            await().until(() -> adminThreads() > 0);
            await().until(() -> adminThreads() == 0);
        }
    }

    @Test
    void a_port_in_use_is_reported_in_one_line() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Address address = new Address("127.0.0.1", taken.getLocalPort());

            assertThatThrownBy(() -> AdminServer.start(address, Optional.empty(), () -> "")).isInstanceOf(IllegalStateException.class)
                    .hasMessage("The admin server can't listen on " + address
                            + " (Address already in use): end the process that uses it, or choose another address");
        }
    }
}
