// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.SendResult.Result;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver can do beside answering: nothing of it lasts longer or costs more than a try may. */
class HostileReceiverTest {

    private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
    private final Targets here = new Targets(Set.of("localhost"));

    private static SendResult post(Targets targets, String url, Duration timeout) throws Exception {
        try (var http = new HttpPost(targets, timeout, 4, DefaultClientTlsStrategy.createDefault(), InstantSource.fixed(NOW))) {
            return http.post(url, Map.of("webhook-id", "msg_1"), "{}");
        }
    }

    private SendResult post(RawServer.Behaviour behaviour, Duration timeout) throws Exception {
        try (var server = new RawServer(behaviour)) {
            return post(here, "http://localhost:" + server.port(), timeout);
        }
    }

    @Test
    void headers_without_end_fill_no_memory() throws Exception {
        String much = "x".repeat(64 * 1024);
        assertThat(post(RawServer.forEver("HTTP/1.1 200 OK\r\nX: ", much), LONG).error()).contains("headers_too_long");
        assertThat(post(RawServer.forEver("HTTP/1.1 200 OK\r\n", "X: y\r\n"), LONG).error()).contains("headers_too_long");
        assertThat(post(RawServer.forEver("HTTP/1.1 ", much), LONG).error()).contains("headers_too_long");
    }

    @Test
    void answers_that_are_never_final_end_with_the_time_of_the_try() throws Exception {
        assertThat(post(RawServer.forEver("HTTP/1.1 100 Continue\r\n\r\n"), SHORT).error()).contains("timed_out");
        assertThat(post(RawServer.forEver("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"), SHORT).error()).contains("timed_out");
    }

    @Test
    void a_receiver_that_never_answers_is_given_up() throws Exception {
        var end = new CountDownLatch(1);
        assertThat(post(out -> await(end), SHORT).error()).contains("timed_out");
        end.countDown();
    }

    @Test
    void a_handshake_that_never_ends_is_given_up() throws Exception {
        // The beginning of a long TLS record, and then nothing.
        try (var server = new RawServer(RawServer.forEver("\u0016\u0003\u0003\u0040\u0000", ""))) {
            assertThat(post(here, "https://localhost:" + server.port(), SHORT).error()).contains("timed_out");
            assertThat(server.connections).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", HEAD, HEAD + "half", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal",
        "no HTTP at all\r\n\r\n"})
    void an_answer_that_breaks_off_is_no_delivery(String part) throws Exception {
        assertThat(post(RawServer.once(part), LONG).error()).contains("connection_broke");
    }

    @ParameterizedTest
    @ValueSource(strings = {"000", "001", "099"})
    void a_status_that_the_client_cannot_hold_is_a_failed_try(String status) throws Exception {
        assertThat(post(RawServer.once("HTTP/1.1 " + status + " OK\r\nContent-Length: 0\r\n\r\n"), LONG))
                .extracting(SendResult::result).isEqualTo(Result.FAILED);
    }

    @Test
    void a_long_answer_counts_by_its_status() throws Exception {
        String much = "x".repeat(64 * 1024);
        assertThat(post(RawServer.forEver("HTTP/1.1 200 OK\r\n\r\n", much), LONG)).isEqualTo(SendResult.delivered(200));
        assertThat(post(RawServer.forEver("HTTP/1.1 500 No\r\n\r\n", much), LONG).error()).contains("status_500");
        assertThat(post(RawServer.forEver("HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n", much), LONG).error())
                .contains("redirect");
    }

    @ParameterizedTest
    @CsvSource({"429, 120, 120", "503, 7, 7", "503, ' 7 ', 7", "429, 86401, 86400", "503, 99999999999999999999999, 86400",
        "503, 'Tue, 24 Nov 2026 01:00:00 GMT', 3600", "503, 'Tuesday, 24-Nov-26 01:00:00 GMT', 3600", "503, Tue Nov 24 01:00:00 2026, 3600",
        "429, 'Fri, 31 Dec 9999 23:59:59 GMT', 86400",
        "503, 'Mon, 23 Nov 2026 00:00:00 GMT', 0", "429, 0, 0", "429, -5, 0", "503, soon, 0", "503, '', 0", "500, 120, 0", "301, 120, 0",
        "429, 1e9, 0", "503, 'Tue, 99 Nov 2026 01:00:00 GMT', 0"})
    void a_wait_that_the_receiver_asks_for_is_kept_within_a_day(int status, String header, long seconds) throws Exception {
        SendResult answer =
                post(RawServer.once("HTTP/1.1 %d X\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n".formatted(status, header)), LONG);
        assertThat(answer.retryAfter().orElse(Duration.ZERO)).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void a_name_that_is_found_too_late_gets_nothing() throws Exception {
        try (var server = new RawServer(RawServer.once(HEAD))) {
            for (String scheme : new String[] {"http", "https"}) {
                var slow = new Targets(Set.of("hooks.example"), host -> {
                    await(new CountDownLatch(1));
                    return new InetAddress[] {InetAddress.getLoopbackAddress()};
                });
                assertThat(post(slow, scheme + "://hooks.example:" + server.port(), SHORT).error()).as(scheme).contains("timed_out");
            }
            assertThat(server.requests).hasValue(0);
        }
    }

    @Test
    void a_name_whose_address_changes_after_the_check_leads_http_nowhere_else() throws Exception {
        var asked = new AtomicInteger();
        var rebinding = new Targets(Set.of("hooks.example"), host -> new InetAddress[] {
            asked.incrementAndGet() == 1 ? InetAddress.getLoopbackAddress() : InetAddress.getByName("192.0.2.1")});
        try (var server = new RawServer(RawServer.once("HTTP/1.1 204 X\r\n\r\n"))) {
            assertThat(post(rebinding, "http://hooks.example:" + server.port(), LONG)).isEqualTo(SendResult.delivered(204));
        }
        assertThat(asked).hasValue(1);
    }

    @Test
    void https_checks_the_addresses_of_each_new_connection() throws Exception {
        var asked = new AtomicInteger();
        var rebinding = new Targets(Set.of(), host -> new InetAddress[] {
            InetAddress.getByName(asked.incrementAndGet() == 1 ? "127.0.0.1" : "1.1.1.1")});
        try (var server = new RawServer(RawServer.once(HEAD))) {
            assertThat(post(rebinding, "https://hooks.example:" + server.port(), LONG).error()).contains("address_forbidden");
            assertThat(server.connections).hasValue(0);
        }
    }

    /** Twice as long as a try may take, or until it is released. */
    private static void await(CountDownLatch latch) {
        try {
            latch.await(2 * SHORT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
