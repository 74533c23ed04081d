// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReadyGaugeTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final Map<String, HealthCheck> checks = new ConcurrentHashMap<>();
    private final ReadyGauge gauge = new ReadyGauge(checks, now::get, meters);

    private double ready() {
        return meters.get("chargeonce.ready").gauge().value();
    }

    @Test
    void a_process_is_ready_only_while_all_checks_pass() {
        checks.put("database", Optional::empty);
        assertThat(ready()).as("before the first check").isZero();
        gauge.runOnce();
        assertThat(ready()).isOne();

        checks.put("relay", () -> Optional.of("Kafka accepts nothing"));
        gauge.runOnce();
        assertThat(ready()).isZero();

        checks.remove("relay");
        gauge.runOnce();
        assertThat(ready()).isOne();
    }

    @Test
    void a_check_that_hangs_ends_readiness_after_15_seconds_and_does_not_hang_the_gauge() throws Exception {
        checks.put("database", Optional::empty);
        gauge.runOnce();
        var thawed = new CountDownLatch(1);
        checks.put("database", () -> {
            thawed.await();
            return Optional.empty();
        });
        Thread frozen = Thread.ofPlatform().start(gauge::runOnce);

        now.updateAndGet(before -> before.plusSeconds(14));
        assertThat(ready()).isOne();
        now.updateAndGet(before -> before.plusSeconds(1));
        assertThat(ready()).isZero();
        thawed.countDown();
        frozen.join();
    }
}
