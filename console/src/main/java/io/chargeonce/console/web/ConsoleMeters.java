// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.http.Answer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Counts and times requests by route and outcome; both come from fixed sets of words. Any thread. */
final class ConsoleMeters {

    private record Counted(String route, String outcome) {}

    private final MeterRegistry registry;
    private final Map<Counted, Timer> timers = new ConcurrentHashMap<>();

    ConsoleMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    Answer timed(String route, Supplier<Answer> request) {
        long start = System.nanoTime();
        Answer answer = request.get();
        timers.computeIfAbsent(new Counted(route, answer.outcome()), this::timer).record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
        return answer;
    }

    private Timer timer(Counted counted) {
        return Timer.builder("chargeonce.console.requests").description("Requests to the console, by route and outcome")
                .tags("route", counted.route(), "outcome", counted.outcome()).register(registry);
    }
}
