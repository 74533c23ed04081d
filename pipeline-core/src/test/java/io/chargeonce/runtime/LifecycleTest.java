// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LifecycleTest {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Lifecycle lifecycle = new Lifecycle("service", Duration.ofSeconds(20));

    private AutoCloseable part(String name) {
        events.add("start " + name);
        return () -> events.add("close " + name);
    }

    @Test
    void a_part_that_needs_more_time_than_the_others_gets_it() throws Exception {
        Lifecycle impatient = new Lifecycle("impatient", Duration.ofMillis(1));
        CountDownLatch closed = new CountDownLatch(1);
        impatient.start("calls under way", Duration.ofSeconds(20), () -> () -> {
            new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
            closed.countDown();
        });

        impatient.close();

        assertThat(closed.getCount()).isZero();
    }

    @Test
    void parts_close_once_in_reverse_order() {
        lifecycle.start("a", () -> part("a"));
        lifecycle.start("b", () -> part("b"));

        lifecycle.close();
        lifecycle.close();

        assertThat(events).containsExactly("start a", "start b", "close b", "close a");
    }

    @Test
    void a_part_that_can_not_start_closes_those_before_it_and_says_why_in_one_line() {
        lifecycle.start("a", () -> part("a"));

        assertThatThrownBy(() -> lifecycle.start("database", () -> {
            throw new IllegalStateException("connection to 127.0.0.1:15432 refused");
        })).isInstanceOf(StartFailed.class)
                .hasMessage("service can't start, because its database failed: connection to 127.0.0.1:15432 refused");

        assertThat(events).containsExactly("start a", "close a");
    }

    @Test
    void a_part_that_does_not_close_well_keeps_no_other_from_closing() throws InterruptedException {
        lifecycle.start("a", () -> part("a"));
        lifecycle.start("bad", () -> () -> {
            throw new IllegalStateException("no");
        });

        lifecycle.close();

        assertThat(events).containsExactly("start a", "close a");
        assertThat(lifecycle.awaitShutdown()).as("closed well").isFalse();
    }

    @Test
    void a_part_that_hangs_is_left_behind() throws InterruptedException {
        Lifecycle impatient = new Lifecycle("impatient", Duration.ofMillis(10));
        CountDownLatch never = new CountDownLatch(1);
        impatient.start("a", () -> part("a"));
        impatient.start("hangs", () -> never::await);

        impatient.close();

        await().untilAsserted(() -> assertThat(events).containsExactly("start a", "close a"));
        assertThat(impatient.awaitShutdown()).as("closed well").isFalse();
        never.countDown();
    }

    @Test
    @Timeout(30)
    void parts_that_all_hang_are_all_closed_within_the_time_for_the_whole() {
        Lifecycle bounded = new Lifecycle("bounded", Duration.ofSeconds(20), Duration.ofSeconds(1));
        CountDownLatch never = new CountDownLatch(1);
        bounded.start("database", () -> part("database"));
        for (String name : List.of("relay", "tier 1", "tier 2", "tier 3")) {
            bounded.start(name, () -> () -> {
                events.add("told " + name);
                never.await();
            });
        }

        bounded.close();

        await().untilAsserted(() -> assertThat(events).containsExactlyInAnyOrder(
                "start database", "told tier 3", "told tier 2", "told tier 1", "told relay", "close database"));
        never.countDown();
    }

    @Test
    void awaiting_the_shutdown_ends_when_everything_is_closed() throws InterruptedException {
        lifecycle.start("a", () -> part("a"));
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                events.add("closed well: " + lifecycle.awaitShutdown());
            } catch (InterruptedException e) {
                events.add("interrupted");
            }
        });

        lifecycle.close();
        waiting.join();

        assertThat(events).containsExactly("start a", "close a", "closed well: true");
    }

    @Test
    void a_part_that_starts_while_the_service_closes_is_closed_too() throws InterruptedException {
        CountDownLatch mayStart = new CountDownLatch(1);
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        Thread starting = Thread.ofVirtual().start(() -> {
            try {
                lifecycle.start("slow", () -> {
                    events.add("starting");
                    mayStart.await();
                    return part("slow");
                });
            } catch (StartFailed failure) {
                failures.add(failure);
            }
        });
        await().until(() -> events.contains("starting"));

        lifecycle.close();
        mayStart.countDown();
        starting.join();

        assertThat(events).containsExactly("starting", "start slow", "close slow");
        assertThat(failures).singleElement().isInstanceOf(StartFailed.class);
    }

    /** A JVM that ends by a signal. */
    static final class UntilTold {
        public static void main(String[] arguments) throws InterruptedException {
            try (Lifecycle lifecycle = new Lifecycle("told", Duration.ofSeconds(5))) {
                lifecycle.start("part", () -> () -> System.out.println("closed"));
                System.out.println("started");
                lifecycle.awaitShutdown();
            }
        }
    }

    @Test
    void a_signal_closes_the_parts() throws Exception {
        Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(),
                "-cp", System.getProperty("java.class.path"), UntilTold.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var output = process.inputReader()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> "started".equals(output.readLine()));
            // By its handle, because the process itself would also close the stream that is read here.
            process.toHandle().destroy();
            assertThat(output.lines()).contains("closed");
        }
        assertThat(process.waitFor()).isNotZero();
    }
}
