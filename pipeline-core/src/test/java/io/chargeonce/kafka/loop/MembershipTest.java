// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Turn by turn, with a clock that stands still and a scripted consumer. */
class MembershipTest {
    private static final TopicPartition PARTITION = new TopicPartition("topic", 0);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(START);
    private final InstantSource clock = now::get;
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    private final Script script = new Script();

    private final AtomicReference<Uuid> topicId = new AtomicReference<>(Uuid.randomUuid());
    private final TopicWatch.Descriptions descriptions = topics -> topics.stream().collect(Collectors.toMap(topic -> topic,
            topic -> KafkaFuture.completedFuture(new TopicDescription(topic, false, List.of(partitionInfo()), Set.of(), topicId.get()))));

    private final LoopSettings settings = LoopSettings.of("loop", Set.of("topic"), 4).withBuffer(new BufferLimit(2, 1 << 20, 4));
    private final LoopMeters meters = new LoopMeters(registry, "loop");
    private final Workers workers = new Workers(settings, script, clock, meters);
    private final Signal drained = new Signal();
    private final Assignment assignment = new Assignment(settings.buffer(), settings.budget(), drained);
    private final Membership membership = new Membership(consumer, descriptions, settings,
            DueTimes.afterAppend(Duration.ofSeconds(5), clock), clock, workers, assignment, drained, meters,
            new ForbiddenTopics(settings.topics(), clock), Loops::noBatchReader);

    @BeforeEach
    void join() {
        membership.join();
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        consumer.rebalance(List.of(PARTITION));
        membership.onPartitionsAssigned(List.of(PARTITION));
    }

    private static TopicPartitionInfo partitionInfo() {
        return new TopicPartitionInfo(0, null, List.of(), List.of());
    }

    private void append(long offset, String key) {
        consumer.addRecord(new ConsumerRecord<>("topic", 0, offset, START.toEpochMilli(),
                TimestampType.LOG_APPEND_TIME, 1, 1, key.getBytes(), Long.toString(offset).getBytes(),
                new RecordHeaders(), Optional.empty()));
    }

    private void turnAt(Instant instant) throws InterruptedException {
        now.set(instant);
        membership.turn();
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() {
        return consumer.committed(Set.of(PARTITION));
    }

    @Test
    void a_record_starts_when_it_is_due_and_not_a_nanosecond_before() throws InterruptedException {
        append(0, "a");
        Instant due = START.plusSeconds(5).plusMillis(1);

        turnAt(due.minusNanos(1));
        assertThat(workers.isBusy()).isFalse();
        assertThat(script.begun()).isEmpty();

        turnAt(due);
        await().until(() -> script.done().equals(List.of("0")));
    }

    @Test
    void a_full_partition_is_paused_also_when_something_else_resumed_it() throws InterruptedException {
        append(0, "a");
        append(1, "b");
        turnAt(START);
        assertThat(consumer.paused()).containsExactly(PARTITION);

        consumer.resume(List.of(PARTITION));
        append(2, "c");
        turnAt(START);

        assertThat(consumer.paused()).containsExactly(PARTITION);
        await().until(() -> {
            turnAt(START.plusSeconds(6));
            return script.done().size() == 3;
        });
        turnAt(START.plusSeconds(6));
        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void records_fetched_for_a_full_buffer_are_counted_because_their_pause_was_lost() throws InterruptedException {
        append(0, "a");
        append(1, "b");
        turnAt(START);
        assertThat(registry.get("chargeonce.loop.fetched.while.full").counter().count()).isZero();

        append(2, "c");
        consumer.schedulePollTask(() -> consumer.resume(List.of(PARTITION)));
        turnAt(START);

        assertThat(registry.get("chargeonce.loop.fetched.while.full").counter().count()).isEqualTo(1);
        assertThat(consumer.paused()).containsExactly(PARTITION);
    }

    @Test
    void a_pause_that_is_no_longer_needed_is_lifted() throws InterruptedException {
        consumer.pause(List.of(PARTITION));

        turnAt(START);

        assertThat(consumer.paused()).isEmpty();
    }

    @Test
    void records_due_at_once_start_at_a_bounded_rate() throws InterruptedException {
        LoopSettings slow = LoopSettings.of("loop", Set.of("topic"), 100).withMostPerSecond(50);
        Membership stream = new Membership(consumer, descriptions, slow, DueTimes.afterAppend(Duration.ofSeconds(5), clock), clock,
                new Workers(slow, script, clock, meters), new Assignment(slow.buffer(), slow.budget(), drained), drained, meters,
                new ForbiddenTopics(slow.topics(), clock), Loops::noBatchReader);
        stream.onPartitionsAssigned(List.of(PARTITION));
        for (int i = 0; i < 40; i++) {
            append(i, "key-" + i);
        }
        now.set(START.plusSeconds(9));
        List<Integer> released = new ArrayList<>();
        for (int tenth = 0; tenth < 4; tenth++) {
            now.set(now.get().plusMillis(100));
            stream.turn();
            int before = released.stream().mapToInt(each -> each).sum();
            await().until(() -> script.done().size() == before + 5);
            released.add(script.done().size() - before);
        }
        assertThat(released).containsExactly(5, 5, 5, 5);
    }

    @Test
    void a_record_that_is_stuck_with_the_handler_is_handed_over_again_and_its_offset_moves_on() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        List<String> begun = new CopyOnWriteArrayList<>();
        RecordHandler stuckTheFirstTime = record -> {
            begun.add(new String(record.value()));
            if (begun.size() == 1) {
                end.await();
            }
            return Verdict.done();
        };
        Workers stuck = new Workers(settings, stuckTheFirstTime, clock, meters);
        Membership patient = new Membership(consumer, descriptions, settings, DueTimes.immediately(clock), clock, stuck, assignment,
                drained, meters, new ForbiddenTopics(settings.topics(), clock), Loops::noBatchReader);
        patient.onPartitionsAssigned(List.of(PARTITION));
        append(0, "a");
        append(1, "a");
        now.set(START);
        patient.turn();
        await().until(() -> begun.equals(List.of("0")));

        now.set(START.plus(settings.stuckAfter()));
        patient.turn();
        assertThat(begun).containsExactly("0");

        await().until(() -> {
            now.set(now.get().plusSeconds(1));
            patient.turn();
            return committed().containsKey(PARTITION) && committed().get(PARTITION).offset() == 2;
        });
        assertThat(begun).containsExactly("0", "0", "1");
        end.countDown();
        await().until(() -> !stuck.isBusy());
        assertThat(begun).containsExactly("0", "0", "1");
    }

    @Test
    void a_revoked_partition_is_committed_and_a_lost_one_is_not() throws InterruptedException {
        script.hold("0");
        append(0, "a");
        turnAt(START);
        turnAt(START.plusSeconds(6));
        script.letGo("0");
        await().until(() -> script.done().size() == 1 && !workers.isBusy());
        membership.onPartitionsLost(List.of(PARTITION));
        assertThat(committed()).isEmpty();

        membership.onPartitionsAssigned(List.of(PARTITION));
        append(1, "a");
        turnAt(START.plusSeconds(6));
        await().until(() -> script.done().size() == 2 && !workers.isBusy());
        membership.onPartitionsRevoked(List.of(PARTITION));
        assertThat(committed().get(PARTITION).offset()).isEqualTo(2);
    }

    @Test
    void what_waits_in_a_revoked_partition_is_forgotten() throws InterruptedException {
        append(0, "a");
        turnAt(START);
        membership.onPartitionsRevoked(List.of(PARTITION));
        membership.onPartitionsAssigned(List.of(PARTITION));

        turnAt(START.plusSeconds(6));

        assertThat(workers.isBusy()).isFalse();
        assertThat(script.begun()).isEmpty();
        assertThat(committed()).isEmpty();
    }

    @Test
    void a_log_that_was_cut_and_jumps_back_starts_its_partition_afresh() throws InterruptedException {
        append(0, "a");
        turnAt(START);
        consumer.seek(PARTITION, 0);
        append(0, "z");

        turnAt(START);
        turnAt(START.plusSeconds(6));

        await().until(() -> script.done().equals(List.of("0")) && !workers.isBusy());
        turnAt(START.plusSeconds(7));
        assertThat(committed().get(PARTITION).offset()).isEqualTo(1);
    }

    @Test
    void meters_show_what_is_held_and_overdue() throws InterruptedException {
        script.hold("0");
        append(0, "a");
        append(1, "a");
        turnAt(START);
        assertThat(assignment.held()).isEqualTo(2);
        assertThat(assignment.overdue(now.get())).isEqualTo(Overdue.none(now.get()));

        turnAt(START.plusSeconds(9).plusMillis(1));
        await().until(() -> script.begun().equals(List.of("0")));

        Overdue overdue = assignment.overdue(now.get());
        assertThat(overdue.records()).isEqualTo(1);
        assertThat(overdue.age(now.get())).isEqualTo(Duration.ofSeconds(4));
        assertThat(workers.inFlight()).isEqualTo(1);
        script.letGo("0");
        await().until(() -> !workers.isBusy());
        assertThat(registry.get("chargeonce.loop.handled").tag("outcome", "done").counter().count()).isEqualTo(2);
    }

    @Test
    void records_of_partitions_that_left_do_not_add_up_while_the_slots_are_taken() throws InterruptedException {
        List.of("0", "1", "2", "3", "4").forEach(script::hold);
        Membership fed = membershipOf(workers);
        for (int life = 0; life < 20; life++) {
            fed.onPartitionsLost(List.of(PARTITION));
            fed.onPartitionsAssigned(List.of(PARTITION));
            consumer.seek(PARTITION, 0);
            for (int offset = 0; offset < 10; offset++) {
                append(offset, "key-" + offset);
            }
            turnAt(fed, now.get().plusSeconds(2));
            turnAt(fed, now.get().plusSeconds(2));
        }
        assertThat(workers.waiting()).isLessThanOrEqualTo(10);
        List.of("0", "1", "2", "3", "4").forEach(script::letGo);
        await().until(() -> !workers.isBusy());
    }

    @Test
    void at_a_bounded_rate_the_records_of_one_do_not_wait_for_the_flood_of_another() throws InterruptedException {
        LoopSettings slow = LoopSettings.of("loop", Set.of("topic"), 100).withMostPerSecond(50);
        Membership fed = membershipOf(slow, new Workers(slow, ofShares(), clock, meters));
        fed.onPartitionsAssigned(List.of(PARTITION));
        for (int i = 0; i < 200; i++) {
            append(i, "flood " + i);
        }
        append(200, "other");
        turnAt(fed, START.plusSeconds(9));
        await().until(() -> script.done().size() == 5);

        assertThat(script.done()).contains("200");
    }

    @Test
    void a_record_whose_share_cannot_be_determined_stops_nothing() throws InterruptedException {
        RecordHandler bug = new RecordHandler() {
            @Override
            public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
                return script.handle(record);
            }

            @Override
            public String shareOf(ConsumerRecord<byte[], byte[]> record) {
                throw new StackOverflowError("planted");
            }
        };
        Membership fed = membershipOf(new Workers(settings, bug, clock, meters));
        append(0, "a");
        turnAt(fed, START);
        turnAt(fed, START.plusSeconds(9));
        await().until(() -> script.done().equals(List.of("0")));
    }

    /** Its key's first word is a record's share. */
    private RecordHandler ofShares() {
        return new RecordHandler() {
            @Override
            public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
                return script.handle(record);
            }

            @Override
            public String shareOf(ConsumerRecord<byte[], byte[]> record) {
                return new String(record.key()).split(" ")[0];
            }
        };
    }

    private Membership membershipOf(Workers fed) {
        return membershipOf(settings, fed);
    }

    private Membership membershipOf(LoopSettings loop, Workers fed) {
        return new Membership(consumer, descriptions, loop, DueTimes.afterAppend(Duration.ofSeconds(5), clock), clock, fed,
                loop == settings ? assignment : new Assignment(loop.buffer(), loop.budget(), drained), drained, meters,
                new ForbiddenTopics(loop.topics(), clock), Loops::noBatchReader);
    }

    private void turnAt(Membership fed, Instant instant) throws InterruptedException {
        now.set(instant);
        drained.raise();
        fed.turn();
    }
}
