// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** The partitions that are assigned to us now. Only the poll thread changes it; meters read it from other threads. */
final class Assignment {
    private final Map<TopicPartition, PartitionWork> works = new ConcurrentHashMap<>();
    private final BufferLimit limit;
    private final BufferBudget budget;
    private final Signal drained;
    final TooLargeToRead tooLarge = new TooLargeToRead();
    private int turn;

    Assignment(BufferLimit limit, BufferBudget budget, Signal drained) {
        this.limit = limit;
        this.budget = budget;
        this.drained = drained;
    }

    /** Every assignment starts with a new object, even for a partition that we had a moment ago. */
    void add(Collection<TopicPartition> partitions) {
        remove(partitions);
        partitions.forEach(this::start);
    }

    /**
     * The partitions are no longer ours, so no record of theirs starts any more. Records in flight may still complete in the returned
     * objects.
     */
    List<PartitionWork> remove(Collection<TopicPartition> partitions) {
        List<PartitionWork> removed = partitions.stream()
                .flatMap(partition -> Optional.ofNullable(works.remove(partition)).stream())
                .toList();
        removed.forEach(PartitionWork::abandon);
        return removed;
    }

    List<PartitionWork> removeAll() {
        return remove(List.copyOf(works.keySet()));
    }

    PartitionWork of(TopicPartition partition) {
        return Optional.ofNullable(works.get(partition))
                .orElseThrow(() -> new IllegalStateException("Bug! " + partition + " is not assigned"));
    }

    /** Drops the held records and everything known about the partition. */
    PartitionWork restart(TopicPartition partition) {
        remove(List.of(partition));
        return start(partition);
    }

    /** Drops the held records, because the partition's log was truncated. */
    PartitionWork restartOfTheSameTopic(TopicPartition partition) {
        Optional<String> topicId = of(partition).topicId();
        PartitionWork fresh = restart(partition);
        topicId.ifPresent(fresh::belongsTo);
        return fresh;
    }

    Set<TopicPartition> partitions() {
        return Set.copyOf(works.keySet());
    }

    Set<String> topics() {
        return works.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet());
    }

    /** What is wrong with single partitions, in one line; empty if all are well. */
    Optional<String> trouble() {
        return works.values().stream().flatMap(work -> work.unreadable().stream()).sorted().reduce((one, other) -> one + "; " + other);
    }

    Collection<PartitionWork> all() {
        return works.values();
    }

    /** All partitions. The first of the last call comes last now, so that none is always served last. */
    List<PartitionWork> inTurn() {
        List<PartitionWork> all = new ArrayList<>(works.values());
        Collections.rotate(all, turn++);
        return all;
    }

    Optional<Instant> nextDue() {
        return works.values().stream().flatMap(work -> work.nextDue().stream()).min(Comparator.naturalOrder());
    }

    int held() {
        return works.values().stream().mapToInt(PartitionWork::held).sum();
    }

    Overdue overdue(Instant now) {
        return works.values().stream().map(work -> work.overdue(now)).reduce(Overdue.none(now), Overdue::and);
    }

    private PartitionWork start(TopicPartition partition) {
        PartitionWork work = new PartitionWork(partition, limit, budget, drained);
        works.put(partition, work);
        return work;
    }
}
