// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.GroupProtocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordLoopRebalanceTest {
    private static final int PARTITIONS = 4;
    private TestTopic topic;

    @BeforeEach
    void createTopic() throws Exception {
        topic = TestTopic.withPartitions(PARTITIONS);
    }

    @AfterEach
    void closeTopic() {
        topic.close();
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void members_that_come_and_go_lose_nothing_and_commit_nothing_undone(GroupProtocol protocol)
            throws Exception {
        Set<String> done = ConcurrentHashMap.newKeySet();
        Map<TopicPartition, Set<Long>> doneOffsets = new ConcurrentHashMap<>();
        Overlapping slowly = new Overlapping(record -> {
            doneOffsets.computeIfAbsent(new TopicPartition(record.topic(), record.partition()), each -> ConcurrentHashMap.newKeySet())
                    .add(record.offset());
            done.add(new String(record.value()));
            return Verdict.done();
        });
        WatchedConsumers consumers = new WatchedConsumers(topic.consumers(protocol)::newConsumer,
                (partition, offset) -> LongStream.range(0, offset).filter(each -> !doneOffsets.get(partition).contains(each)).boxed()
                        .findFirst()
                        .map(undone -> "committed " + offset + " of " + partition + " while " + undone + " was not done"));
        // Short waits: some records are still in flight when their partition leaves.
        LoopSettings settings = Loops.settings(topic).withBuffer(new BufferLimit(50, 1 << 20, 500))
                .withWaits(Duration.ofMillis(2), Duration.ofMillis(2));

        List<String> sent = new CopyOnWriteArrayList<>();
        try (RecordLoop stays = Loops.start(settings, consumers, DueTimes.immediately(), slowly)) {
            for (int round = 0; round < 3; round++) {
                sent.addAll(topic.sendNumbers(4_000, PARTITIONS, 100));
                CountDownLatch works = new CountDownLatch(1);
                RecordLoop comesAndGoes = Loops.start(settings, consumers, DueTimes.immediately(), record -> {
                    works.countDown();
                    return slowly.handle(record);
                });
                keepSendingUntil(works, sent);
                comesAndGoes.close();
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> slowly.letAllGo() && done.containsAll(sent)
                    && topic.committed().values().stream().mapToLong(each -> each).sum() == sent.size());
            assertThat(stays.health().failure()).isEmpty();
        }
        assertThat(consumers.violations()).isEmpty();
    }

    private void keepSendingUntil(CountDownLatch works, List<String> sent) throws Exception {
        do {
            sent.addAll(topic.sendNumbers(100, PARTITIONS, 100));
        } while (!works.await(50, TimeUnit.MILLISECONDS));
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void a_late_completion_cannot_touch_a_partition_that_was_revoked_and_assigned_again(GroupProtocol protocol) throws Exception {
        SlowInvocations mine = new SlowInvocations();
        SlowInvocations others = new SlowInvocations();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            topic.send(partition, "k", "slow");
        }
        LoopSettings impatient = Loops.settings(topic).withWaits(Duration.ZERO, Duration.ZERO);
        try (RecordLoop stays = Loops.start(impatient, topic.consumers(protocol)::newConsumer, DueTimes.immediately(), mine)) {
            await().until(() -> mine.invocations().size() == PARTITIONS);

            RecordLoop visitor = Loops.start(impatient, topic.consumers(protocol)::newConsumer, DueTimes.immediately(), others);
            await().until(() -> !others.invocations().isEmpty());
            int moved = others.invocations().getFirst().partition();
            visitor.close();
            await().until(() -> mine.of(moved).size() == 2);

            mine.of(moved).getFirst().finish();
            int elsewhere = (moved + 1) % PARTITIONS;
            // One commit carries all partitions: if this one is there, a wrong one would be too. If all partitions move at each rebalance,
            // this one's record may come once more, later than the other's.
            await().until(() -> {
                mine.of(elsewhere).forEach(SlowInvocation::finish);
                return topic.committed().containsKey(elsewhere);
            });
            assertThat(topic.committed()).doesNotContainKey(moved);

            mine.of(moved).getLast().finish();
            await().until(() -> topic.committed().containsKey(moved));
            assertThat(stays.health().failure()).isEmpty();
            mine.invocations().forEach(SlowInvocation::finish);
        }
        others.invocations().forEach(SlowInvocation::finish);
    }

    /**
     * Each call goes on until several more have begun after it, or all are released. So some calls are always running, and they end in
     * another order than they began.
     */
    private static final class Overlapping implements RecordHandler {
        private static final int UNDER_WAY = 8;
        private static final int OUT_OF_ORDER = 4;
        private final RecordHandler end;
        private final List<CountDownLatch> underWay = new ArrayList<>();
        private int begun;

        Overlapping(RecordHandler end) {
            this.end = end;
        }

        @Override
        public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws Exception {
            begin().await();
            return end.handle(record);
        }

        private synchronized CountDownLatch begin() {
            CountDownLatch mine = new CountDownLatch(1);
            underWay.add(mine);
            if (underWay.size() > UNDER_WAY) {
                underWay.remove(begun++ % OUT_OF_ORDER).countDown();
            }
            return mine;
        }

        synchronized boolean letAllGo() {
            underWay.forEach(CountDownLatch::countDown);
            underWay.clear();
            return true;
        }
    }

    /** Each record's call goes on until the test ends it, each by itself. */
    private static final class SlowInvocations implements RecordHandler {
        private final List<SlowInvocation> invocations = new CopyOnWriteArrayList<>();

        @Override
        public Verdict handle(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
            SlowInvocation invocation = new SlowInvocation(record.partition(), new CountDownLatch(1));
            invocations.add(invocation);
            invocation.finished().await();
            return Verdict.done();
        }

        List<SlowInvocation> invocations() {
            return invocations;
        }

        List<SlowInvocation> of(int partition) {
            return invocations.stream().filter(each -> each.partition() == partition).toList();
        }
    }

    private record SlowInvocation(int partition, CountDownLatch finished) {
        void finish() {
            finished.countDown();
        }
    }
}
