// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import io.chargeonce.payment.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Counts and times the exchanges with PSPs by call and outcome, all from fixed sets of words. Any thread. */
final class PspMeters {

    private static final Duration[] BUCKETS = Stream.of(10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000)
            .map(Duration::ofMillis).toArray(Duration[]::new);

    private record Counted(String psp, String call, String outcome) {}

    private final MeterRegistry registry;
    private final Map<Counted, Timer> timers = new ConcurrentHashMap<>();

    PspMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    Outcome timed(String psp, String call, Supplier<Outcome> exchange) {
        long start = System.nanoTime();
        Outcome outcome = exchange.get();
        timers.computeIfAbsent(new Counted(psp, call, word(outcome)), this::timer).record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
        return outcome;
    }

    private Timer timer(Counted counted) {
        return Timer.builder("chargeonce.psp.calls").description("Exchanges with PSPs, by outcome")
                .tags("psp", counted.psp(), "call", counted.call(), "outcome", counted.outcome())
                .serviceLevelObjectives(BUCKETS).register(registry);
    }

    private static String word(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Charged charged -> "charged";
            case Outcome.Declined declined -> "declined";
            case Outcome.Failed failed -> "failed";
            case Outcome.Unknown unknown -> "unknown";
        };
    }
}
