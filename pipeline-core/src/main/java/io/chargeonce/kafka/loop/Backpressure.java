// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Pauses the partitions that can take no more records: their buffer is full, their topic's id is not known yet, Kafka refuses to serve
 * them, or they are read batch by batch. Poll thread only.
 *
 * <p>It keeps no list of its own. Every turn it compares what should be paused with what the consumer says is paused. So if a rebalance
 * drops a pause or leaves one behind, the next turn corrects it.
 */
final class Backpressure {
    private final Consumer<byte[], byte[]> consumer;
    private final Assignment assignment;
    private final InstantSource clock;
    private Extent extent = Extent.NOTHING;

    /** How much is paused. */
    enum Extent { NOTHING, SOME, EVERYTHING }

    Backpressure(Consumer<byte[], byte[]> consumer, Assignment assignment, InstantSource clock) {
        this.consumer = consumer;
        this.clock = clock;
        this.assignment = assignment;
    }

    void pauseWhatIsFullAndResumeTheRest() {
        Set<TopicPartition> paused = consumer.paused();
        Instant now = clock.instant();
        Set<TopicPartition> full = partitionsThat(work -> work.takesNoMore(now) || assignment.tooLarge.isReadAlone(work.partition));
        Set<TopicPartition> toPause = without(full, paused);
        Set<TopicPartition> toResume = without(paused, full);
        if (!toPause.isEmpty()) {
            consumer.pause(toPause);
        }
        if (!toResume.isEmpty()) {
            consumer.resume(toResume);
        }
        extent = full.isEmpty() ? Extent.NOTHING : full.size() == assignment.all().size() ? Extent.EVERYTHING : Extent.SOME;
    }

    /** As of the last turn. */
    Extent extent() {
        return extent;
    }

    private Set<TopicPartition> partitionsThat(Predicate<PartitionWork> condition) {
        return assignment.all().stream().filter(condition).map(work -> work.partition).collect(Collectors.toSet());
    }

    private static Set<TopicPartition> without(Collection<TopicPartition> all, Set<TopicPartition> excluded) {
        return all.stream().filter(partition -> !excluded.contains(partition)).collect(Collectors.toSet());
    }
}
