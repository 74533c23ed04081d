// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * Shows the readiness of a process as a metric. A worker runs the checks, so that a check which hangs, because Postgres is frozen, does not
 * hang the scrape: the process then counts as not ready when its last success is too old. One thread runs the checks; any may read.
 */
final class ReadyGauge {
    static final Duration EVERY = Duration.ofSeconds(5);
    private static final Duration VALID_FOR = Duration.ofSeconds(15);

    private final Map<String, HealthCheck> checks;
    private final InstantSource clock;
    private volatile Optional<Instant> succeeded = Optional.empty();

    ReadyGauge(Map<String, HealthCheck> checks, InstantSource clock, MeterRegistry meters) {
        this.checks = checks;
        this.clock = clock;
        Gauge.builder("chargeonce.ready", this, ReadyGauge::value).description("1 while all readiness checks pass").strongReference(true)
                .register(meters);
    }

    /** Runs all checks once. Always returns 0: the next run is not urgent. */
    int runOnce() {
        // The time before the checks: an answer that took long is old.
        Instant now = clock.instant();
        succeeded = HealthReport.of(checks).isUp() ? Optional.of(now) : Optional.empty();
        return 0;
    }

    private double value() {
        return succeeded.filter(at -> at.plus(VALID_FOR).isAfter(clock.instant())).isPresent() ? 1 : 0;
    }
}
