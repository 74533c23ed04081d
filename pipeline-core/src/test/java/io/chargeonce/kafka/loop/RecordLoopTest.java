// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.GroupProtocol;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecordLoopTest {
    private final Script script = new Script();
    private TestTopic topic;

    @BeforeEach
    void createTopic() throws Exception {
        topic = TestTopic.withPartitions(2);
    }

    @AfterEach
    void closeTopic() {
        topic.close();
    }

    @Test
    void records_of_one_key_are_handled_one_after_another_in_their_order() throws Exception {
        Map<String, List<Integer>> sequences = new ConcurrentHashMap<>();
        Set<String> running = ConcurrentHashMap.newKeySet();
        Set<String> overlaps = ConcurrentHashMap.newKeySet();
        List<String> sent = topic.sendNumbers(2_000, 2, 5);

        try (RecordLoop loop = Loops.start(topic, record -> {
            String key = new String(record.key());
            if (!running.add(key)) {
                overlaps.add(key);
            }
            sequences.merge(key, List.of(Integer.valueOf(new String(record.value()))),
                    (before, next) -> Stream.concat(before.stream(), next.stream()).toList());
            Thread.yield();
            running.remove(key);
            return Verdict.done();
        })) {
            await().until(() -> sequences.values().stream().mapToInt(List::size).sum() == sent.size());
            assertThat(loop.health().running()).isTrue();
        }

        assertThat(overlaps).isEmpty();
        assertThat(sequences).hasSize(10).allSatisfy((key, numbers) -> assertThat(numbers).isSorted());
        assertThat(topic.committed()).isEqualTo(Map.of(0, 1_000L, 1, 1_000L));
    }

    @Test
    void a_handler_that_returns_nothing_for_minutes_is_a_problem_and_one_stuck_record_is_none()
            throws Exception {
        script.hold("stuck");
        topic.send(0, "a", "stuck");

        try (RecordLoop loop = Loops.start(topic, script)) {
            await().until(() -> script.begun().contains("stuck"));
            assertThat(problemAt(Instant.now(), loop)).isEmpty();
            Instant whenItIsLate = loop.health().nextAnswer().orElseThrow().plus(Duration.ofMinutes(2)).plusNanos(1);
            assertThat(problemAt(whenItIsLate, loop)).hasValueSatisfying(text -> assertThat(text).startsWith("the handler has records"));

            topic.send(0, "b", "quick");
            await().until(() -> problemAt(whenItIsLate, loop).isEmpty());
            assertThat(script.done()).containsExactly("quick");

            script.letGo("stuck");
            await().until(() -> loop.health().nextAnswer().isEmpty());
        }
    }

    /** As if it had polled at that time. */
    private static Optional<String> problemAt(Instant time, RecordLoop loop) {
        LoopHealth health = loop.health();
        return new LoopHealth(health.running(), Optional.of(time), health.failure(), health.nextAnswer(), health.trouble())
                .standstill(time);
    }

    @Test
    void other_keys_overtake_a_slow_record_but_the_offset_does_not() throws Exception {
        script.hold("slow");
        topic.send(0, "a", "first");
        topic.send(0, "b", "slow");
        topic.send(0, "b", "behind-the-slow-one");
        topic.send(0, "c", "quick");
        topic.sendWithoutKey(0, "no-key");

        try (RecordLoop loop = Loops.start(topic, script)) {
            await().until(() -> script.done().containsAll(List.of("first", "quick", "no-key")));
            await().until(() -> topic.committed().equals(Map.of(0, 1L)));
            assertThat(script.begun()).doesNotContain("behind-the-slow-one");
            assertThat(loop.health().running()).isTrue();

            script.letGo("slow");
            await().until(() -> topic.committed().equals(Map.of(0, 5L)));
        }
        assertThat(script.done()).containsExactlyInAnyOrder("first", "slow", "behind-the-slow-one", "quick", "no-key");
    }

    @Test
    void behind_a_hanging_record_fifty_thousand_go_on_and_in_the_end_its_offset_does_too() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        AtomicInteger handlingsOfTheFirst = new AtomicInteger();
        Set<Long> done = ConcurrentHashMap.newKeySet();
        List<String> sent = topic.sendNumbers(50_001, 1, 50_001);
        LoopSettings impatient = Loops.settings(topic).withStuckAfter(Duration.ofSeconds(3)).withWaits(Duration.ZERO, Duration.ZERO);

        try (RecordLoop loop =
                Loops.start(impatient, topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.immediately(), record -> {
                    if (record.offset() == 0 && handlingsOfTheFirst.incrementAndGet() == 1) {
                        hangs.await();
                    }
                    done.add(record.offset());
                    return Verdict.done();
                })) {
            await().until(() -> done.size() >= sent.size() - 1);
            await().until(() -> topic.committed().equals(Map.of(0, 50_001L)));
            assertThat(handlingsOfTheFirst.get()).isEqualTo(2);
            assertThat(loop.health().failure()).isEmpty();
        }
        hangs.countDown();
    }

    @Test
    void records_without_a_key_wait_for_no_other() throws Exception {
        script.hold("0");
        topic.sendWithoutKey(0, "0");
        topic.sendWithoutKey(0, "1");

        try (RecordLoop loop = Loops.start(topic, script)) {
            await().until(() -> script.done().equals(List.of("1")));
            script.letGo("0");
            await().until(() -> script.done().equals(List.of("1", "0")));
            assertThat(loop.health().failure()).isEmpty();
        }
    }

    @Test
    void a_failing_record_comes_again_until_it_works_and_holds_back_only_its_own_key() throws Exception {
        script.fail("bad", 3).hold("bad");
        topic.send(0, "a", "bad");
        topic.send(0, "a", "behind");
        topic.send(0, "b", "other");

        try (RecordLoop loop = Loops.start(topic, script)) {
            await().until(() -> script.done().equals(List.of("other")));
            script.letGo("bad");
            await().until(() -> topic.committed().equals(Map.of(0, 3L)));
            assertThat(loop.health().running()).isTrue();
        }
        assertThat(script.done()).containsExactly("other", "bad", "behind");
        assertThat(script.begun()).filteredOn("bad"::equals).hasSize(4);
    }

    @Test
    void a_failing_record_takes_no_slot_while_it_waits() throws Exception {
        script.fail("bad", 3);
        topic.send(0, "a", "bad");
        List<String> others = topic.sendNumbers(50, 2, 50);
        LoopSettings oneSlot = LoopSettings.of("one-slot", Set.of(topic.name()), 1);

        try (RecordLoop loop = Loops.start(oneSlot, topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.immediately(), script)) {
            await().until(() -> script.done().contains("bad"));
            assertThat(loop.health().running()).isTrue();
        }
        assertThat(script.done().subList(0, others.size())).containsExactlyInAnyOrderElementsOf(others);
        assertThat(script.mostInFlight()).isEqualTo(1);
    }

    @Test
    void two_failures_of_one_partition_that_end_out_of_order_lose_nothing() throws Exception {
        script.fail("early", 4).fail("late", 1);
        topic.send(0, "a", "early");
        topic.send(0, "b", "between");
        topic.send(0, "c", "late");

        try (RecordLoop loop = Loops.start(topic, script)) {
            await().until(() -> script.done().containsAll(List.of("between", "late")));
            assertThat(topic.committed()).isEmpty();
            await().until(() -> topic.committed().equals(Map.of(0, 3L)));
            assertThat(loop.health().running()).isTrue();
        }
        assertThat(script.done()).containsExactly("between", "late", "early");
    }

    @Test
    void a_record_that_came_too_early_is_given_back_and_holds_back_only_its_own_key() throws Exception {
        script.sayFirst("early", Verdict.notBefore(Duration.ofMillis(300)));
        topic.send(0, "a", "early");
        topic.send(0, "a", "behind");
        topic.send(0, "b", "other");
        LoopSettings oneSlot = LoopSettings.of("one-slot", Set.of(topic.name()), 1);

        try (RecordLoop loop = Loops.start(oneSlot, topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.immediately(), script)) {
            await().until(() -> topic.committed().equals(Map.of(0, 3L)));
            assertThat(loop.health().running()).isTrue();
        }
        assertThat(script.begun()).containsExactly("early", "other", "early", "behind");
        assertThat(script.beginningOf("early")).isAfter(script.beginningOf("other"));
    }

    @Test
    void no_more_records_are_in_flight_than_allowed_and_a_full_buffer_pauses_without_losing_any() throws Exception {
        LoopSettings small = LoopSettings.of("small", Set.of(topic.name()), 3).withBuffer(new BufferLimit(10, 1 << 20, 100));
        List<String> sent = topic.sendNumbers(5_000, 2, 50);

        try (RecordLoop loop = Loops.start(small, topic.consumers(GroupProtocol.CONSUMER)::newConsumer, DueTimes.immediately(), script)) {
            await().atMost(Duration.ofSeconds(30)).until(() -> script.done().size() >= sent.size());
            assertThat(loop.health().running()).isTrue();
        }
        assertThat(script.done()).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(script.mostInFlight()).isLessThanOrEqualTo(3);
        assertThat(topic.committed()).isEqualTo(Map.of(0, 2_500L, 1, 2_500L));
    }

    @Test
    void a_loop_that_dies_without_a_commit_loses_nothing() throws Exception {
        List<String> sent = topic.sendNumbers(500, 2, 20);
        script.hold("7");
        WatchedConsumers mortal = WatchedConsumers.unchecked(topic.consumers(GroupProtocol.CONSUMER)::newConsumer);
        RecordLoop first =
                Loops.start(Loops.settings(topic).withWaits(Duration.ZERO, Duration.ZERO), mortal, DueTimes.immediately(), script);
        // The held record has 12 others of its key behind it.
        await().until(() -> script.done().size() == sent.size() - 13);
        mortal.die();
        first.close();

        Script second = new Script();
        try (RecordLoop loop = Loops.start(topic, second)) {
            await().until(() -> topic.committed().equals(Map.of(0, 250L, 1, 250L)));
            assertThat(loop.health().running()).isTrue();
        }
        Set<String> all = Stream.concat(script.done().stream(), second.done().stream()).collect(Collectors.toSet());
        assertThat(all).containsExactlyInAnyOrderElementsOf(sent);
    }

    @Test
    void closing_lets_records_in_flight_finish_and_commits_them() throws Exception {
        script.hold("0");
        topic.sendNumbers(1, 1, 1);
        RecordLoop loop = Loops.start(topic, script);
        await().until(() -> script.begun().contains("0"));

        Thread closer = Thread.ofVirtual().start(loop::close);
        await().until(() -> !loop.health().running());
        script.letGo("0");
        closer.join();

        assertThat(topic.committed()).isEqualTo(Map.of(0, 1L));
    }

    @Test
    void a_loop_may_be_closed_twice_and_before_it_runs() {
        RecordLoop loop = new RecordLoop(Loops.settings(topic), topic.consumers(GroupProtocol.CONSUMER), DueTimes.immediately(),
                script, InstantSource.system(), new SimpleMeterRegistry());
        loop.close();
        loop.close();
        loop.run();

        assertThat(loop.health().running()).isFalse();
        assertThat(loop.problem()).contains("not running");
    }
}
