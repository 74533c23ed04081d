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
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordLoopDueTimeTest {
    private static final Duration DELAY = Duration.ofMillis(1_500);
    private final Queue<String> early = new ConcurrentLinkedQueue<>();
    private final Set<String> done = ConcurrentHashMap.newKeySet();

    private Verdict handle(ConsumerRecord<byte[], byte[]> record) {
        Instant due = Instant.ofEpochMilli(record.timestamp()).plus(DELAY);
        if (Instant.now().isBefore(due)) {
            early.add(record.toString());
        }
        done.add(new String(record.value()));
        return Verdict.done();
    }

    @Test
    void no_record_is_early_while_the_full_buffer_pauses_its_partition() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(2)) {
            LoopSettings small = Loops.settings(topic).withBuffer(new BufferLimit(10, 1 << 20, 100));
            List<String> sent = topic.sendNumbers(3_000, 2, 50);

            try (RecordLoop loop = Loops.start(small, topic.consumers(GroupProtocol.CONSUMER)::newConsumer,
                    DueTimes.afterAppend(DELAY), this::handle)) {
                await().until(() -> done.containsAll(sent));
                assertThat(loop.health().failure()).isEmpty();
            }
            assertThat(early).isEmpty();
        }
    }

    @Test
    void no_record_is_early_when_the_process_stands_still_while_it_takes_records_in() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            List<String> sent = topic.sendNumbers(10, 1, 10);
            var stoodStill = new AtomicReference<>(Duration.ZERO);
            InstantSource clock = () -> Instant.now().plus(stoodStill.get());
            var due = new ConcurrentHashMap<Long, Instant>();
            DueTimes slow = record -> {
                stoodStill.updateAndGet(before -> before.plusSeconds(60));
                due.put(record.offset(), clock.instant().plus(DELAY));
                return DELAY;
            };
            try (RecordLoop loop = new RecordLoop(Loops.settings(topic), topic.consumers(GroupProtocol.CONSUMER), slow, record -> {
                if (clock.instant().isBefore(due.get(record.offset()))) {
                    early.add(record.toString());
                }
                done.add(new String(record.value()));
                return Verdict.done();
            }, clock, new SimpleMeterRegistry()).start()) {
                await().until(() -> done.containsAll(sent));
                assertThat(loop.health().failure()).isEmpty();
            }
            assertThat(early).isEmpty();
        }
    }

    @Test
    void no_record_is_early_when_its_partition_moves_to_another_member_while_it_waits() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(2)) {
            Set<String> seenByBoth = ConcurrentHashMap.newKeySet();
            try (RecordLoop first = Loops.start(topic, DELAY, record -> handle(record))) {
                await().until(() -> first.health().lastPoll().isPresent());
                List<String> sent = topic.sendNumbers(500, 2, 50);
                try (RecordLoop second = Loops.start(topic, DELAY, record -> {
                    seenByBoth.add("second");
                    return handle(record);
                })) {
                    await().until(() -> done.containsAll(sent));
                    // The second member works at last, on records that are sent after the partitions have moved.
                    await().until(() -> {
                        topic.sendNumbers(2, 2, 1);
                        return !seenByBoth.isEmpty();
                    });
                    assertThat(second.health().failure()).isEmpty();
                }
            }
            assertThat(early).isEmpty();
        }
    }

    @Test
    void a_forged_time_far_ahead_holds_its_partition_up_for_no_more_than_the_delay() throws Exception {
        try (TestTopic topic = TestTopic.withTimestampsOfTheSender()) {
            topic.send(0, "a", "ahead", Instant.now().plusSeconds(1_800).toEpochMilli());
            topic.send(0, "b", "ancient", 0);
            topic.send(0, "c", "usual", Instant.now().toEpochMilli());

            try (RecordLoop loop = Loops.start(topic, DELAY, this::handle)) {
                await().until(() -> done.containsAll(List.of("ahead", "ancient", "usual")));
                assertThat(loop.health().failure()).isEmpty();
            }
        }
    }

    @Test
    void a_clock_that_is_hours_behind_does_not_hold_a_backlog_back_for_a_delay_per_buffer() throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            List<String> sent = topic.sendNumbers(100, 1, 50);
            LoopSettings small = Loops.settings(topic).withBuffer(new BufferLimit(10, 1 << 20, 10));
            DueTimes behind = DueTimes.afterAppend(Duration.ofHours(1), () -> Instant.now().minusSeconds(7_200));

            try (RecordLoop loop = Loops.start(small, topic.consumers(GroupProtocol.CONSUMER)::newConsumer, behind, record -> {
                done.add(new String(record.value()));
                return Verdict.done();
            })) {
                await().until(() -> done.containsAll(sent));
                assertThat(loop.health().failure()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-3_600, 3_600})
    void a_clock_that_is_an_hour_off_wedges_nothing(int secondsOff) throws Exception {
        try (TestTopic topic = TestTopic.withPartitions(1)) {
            List<String> sent = topic.sendNumbers(10, 1, 5);
            InstantSource off = () -> Instant.now().plusSeconds(secondsOff);

            try (RecordLoop loop = new RecordLoop(Loops.settings(topic), topic.consumers(GroupProtocol.CONSUMER),
                    DueTimes.afterAppend(DELAY, off), this::handle, off, new SimpleMeterRegistry()).start()) {
                await().until(() -> done.containsAll(sent));
                assertThat(loop.health().failure()).isEmpty();
            }
        }
    }
}
