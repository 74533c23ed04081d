// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The memory of a process does not grow with the number of its partitions. */
class BufferBudgetTest {

    private static final Instant NOW = Instant.EPOCH;
    private static final BufferLimit OF_A_PARTITION = new BufferLimit(1_000, 1 << 20, 100_000);
    /** {@link Records} makes a key and a value of about ten bytes. */
    private static final int BYTES = 12_000;

    private final BufferBudget budget = BufferBudget.ofBytes(BYTES);
    private final Assignment oneTier = new Assignment(OF_A_PARTITION, budget, new Signal());
    private final Assignment otherTier = new Assignment(OF_A_PARTITION, budget, new Signal());

    private static List<TopicPartition> partitions(String topic, int count) {
        return IntStream.range(0, count).mapToObj(number -> new TopicPartition(topic, number)).toList();
    }

    private static void assign(Assignment assignment, String topic, int count) {
        assignment.add(partitions(topic, count));
        assignment.all().forEach(work -> work.belongsTo("id"));
    }

    /** Fetches records that are not due, until no partition takes more; returns the bytes that are held. */
    private static long fill(Assignment assignment) {
        long bytes = 0;
        for (PartitionWork work : assignment.all()) {
            for (long offset = 0; !work.takesNoMore(NOW); offset++) {
                var record = Records.of(offset, "key-" + offset);
                bytes += record.serializedKeySize() + Math.max(0, record.serializedValueSize());
                work.hold(record, NOW.plusSeconds(3_600));
            }
        }
        return bytes;
    }

    @Test
    void all_partitions_of_all_loops_hold_no_more_together_than_the_budget() {
        assign(oneTier, "retry-1", 20);
        assign(otherTier, "retry-2", 40);
        long held = fill(oneTier) + fill(otherTier);
        assertThat(held).as("one record more than its share for each of 60 partitions").isBetween(BYTES / 2L, BYTES + 60L * 20);
    }

    @Test
    void a_full_topic_takes_no_room_from_another() {
        assign(oneTier, "retry-1", 20);
        assign(otherTier, "retry-2", 20);
        fill(oneTier);
        assertThat(otherTier.all()).noneMatch(work -> work.takesNoMore(NOW));
    }

    @Test
    void shares_shrink_and_grow_with_the_number_of_partitions() {
        assign(oneTier, "retry-1", 1);
        PartitionWork first = oneTier.of(partitions("retry-1", 1).getFirst());
        for (long offset = 0; offset < 100; offset++) {
            first.hold(Records.of(offset, "key"), NOW.plusSeconds(3_600));
        }
        assertThat(first.takesNoMore(NOW)).isFalse();
        assign(otherTier, "retry-2", 99);
        assertThat(first.takesNoMore(NOW)).as("its share is a hundredth now").isTrue();
        otherTier.removeAll();
        assertThat(first.takesNoMore(NOW)).isFalse();
        otherTier.removeAll();
        oneTier.removeAll();
        assertThat(budget.share()).isEqualTo(BYTES);
    }
}
