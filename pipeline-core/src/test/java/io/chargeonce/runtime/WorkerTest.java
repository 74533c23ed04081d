// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class WorkerTest {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicInteger passes = new AtomicInteger();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();

    private int pass() {
        passes.incrementAndGet();
        switch (thrown.get()) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            case null, default -> {
            }
        }
        return 0;
    }

    private double failures() {
        return meters.get("chargeonce.worker.failures").tag("worker", "a-worker").counter().count();
    }

    @Test
    void neither_an_exception_nor_an_error_ends_it_and_each_is_counted() {
        thrown.set(new NoClassDefFoundError("planted"));
        try (var worker = Worker.start("a-worker", PAUSE, this::pass).countedBy(meters)) {
            await().until(() -> failures() >= 2);
            thrown.set(new IllegalStateException("planted"));
            double before = failures();
            await().until(() -> failures() > before);
            assertThat(worker.standstill()).isEmpty();
            thrown.set(null);
            int past = passes.get();
            await().until(() -> passes.get() > past + 2);
        }
    }

    @Test
    void workers_of_one_name_are_counted_together() {
        thrown.set(new IllegalStateException("planted"));
        Worker.start("a-worker", PAUSE, this::pass).countedBy(meters).close();
        double first = failures();
        try (var second = Worker.start("a-worker", PAUSE, this::pass).countedBy(meters)) {
            await().until(() -> failures() > first && second.standstill().isEmpty());
        }
    }

    @Test
    void failures_that_last_are_a_problem_until_a_pass_ends_well() {
        thrown.set(new IllegalStateException("planted"));
        try (var worker = Worker.start("a-worker", PAUSE, Duration.ofMillis(5), this::pass)) {
            await().until(() -> worker.problem().filter(problem -> problem.contains("planted")).isPresent());
            thrown.set(null);
            await().until(() -> worker.problem().isEmpty());
        }
    }

    @Test
    void a_failure_that_passes_soon_is_no_problem() {
        thrown.set(new IllegalStateException("planted"));
        try (var worker = Worker.start("a-worker", PAUSE, this::pass)) {
            await().until(() -> passes.get() > 3);
            assertThat(worker.problem()).isEmpty();
        }
    }
}
