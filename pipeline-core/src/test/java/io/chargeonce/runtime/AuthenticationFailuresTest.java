// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuthenticationFailuresTest {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<Duration> pauses = new ArrayList<>();
    private final AuthenticationFailures failures = new AuthenticationFailures("ingest", meters, now::get, pauses::add);

    private static InetAddress client(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private void fail(int client, int times) {
        for (int i = 0; i < times; i++) {
            failures.failed("unauthenticated", client(client), Optional.of("0123456789ab"));
        }
    }

    @Test
    void the_more_failures_an_address_has_the_longer_they_wait_and_never_longer_than_two_seconds() {
        fail(1, 20);
        assertThat(pauses).hasSize(15).startsWith(Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(200)).isSorted()
                .endsWith(Duration.ofSeconds(2), Duration.ofSeconds(2));
    }

    @Test
    void another_address_does_not_wait_for_it_and_after_a_minute_neither_does_this_one() {
        fail(1, 20);
        pauses.clear();
        fail(2, 5);
        assertThat(pauses).isEmpty();
        now.updateAndGet(time -> time.plusSeconds(60));
        fail(1, 5);
        assertThat(pauses).isEmpty();
    }

    @Test
    void addresses_without_end_are_not_remembered_and_all_are_counted() {
        for (int client = 0; client < 30_000; client++) {
            fail(client, 1);
        }
        fail(29_999, 20);
        assertThat(pauses).isEmpty();
        now.updateAndGet(time -> time.plusSeconds(60));
        fail(29_999, 6);
        assertThat(pauses).hasSize(1);
        assertThat(meters.counter("chargeonce.authentication.failures", "door", "ingest", "why", "unauthenticated").count())
                .isEqualTo(30_026);
    }

    @Test
    void a_flood_of_failures_leaves_one_line_in_ten_seconds() {
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        var log = (Logger) LoggerFactory.getLogger(AuthenticationFailures.class);
        Level before = log.getLevel();
        log.setLevel(Level.WARN);
        log.setAdditive(false);
        log.addAppender(lines);
        try {
            fail(1, 1_000);
            now.updateAndGet(time -> time.plusSeconds(10));
            fail(1, 1);
        } finally {
            log.detachAppender(lines);
            log.setAdditive(true);
            log.setLevel(before);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(
                "ingest: a request from 10.0.0.1 was refused: unauthenticated (digest 0123456789ab)",
                "ingest: a request from 10.0.0.1 was refused: unauthenticated (digest 0123456789ab); 999 more since the last of these "
                        + "lines");
    }

    @Test
    void all_addresses_of_one_64_are_one_client() throws UnknownHostException {
        for (int host = 0; host < 20; host++) {
            failures.failed("unauthenticated", InetAddress.getByName("2001:db8:1:2:" + host + "::1"), Optional.empty());
        }
        assertThat(pauses).hasSize(15);
        pauses.clear();
        failures.failed("unauthenticated", InetAddress.getByName("2001:db8:1:3::1"), Optional.empty());
        assertThat(pauses).isEmpty();
    }
}
