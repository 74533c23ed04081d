// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/** A member of a group, as far as a record loop uses one. Callbacks are called within poll, as by the real one. */
public final class ModelConsumer {

    public static final String COMMITTED = "after an offset commit";
    private static final int MOST_RECORDS = 3;

    final Host host = Kernel.it().host();
    private final Broker broker;
    private final Group group;
    private final boolean fromEnd;
    private final Map<TopicPartition, Position> positions = new LinkedHashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();
    private Set<String> topics = Set.of();
    private ConsumerRebalanceListener listener;
    private long lastPoll = Kernel.it().now();
    private boolean woken;

    /** @param leaderEpoch of the record before it; empty if that is unknown */
    private record Position(long offset, Optional<Integer> leaderEpoch) {

        static Position at(long offset) {
            return new Position(offset, Optional.empty());
        }
    }

    ModelConsumer(Broker broker, String group, boolean fromEnd) {
        this.broker = broker;
        this.fromEnd = fromEnd;
        this.group = broker.group(group);
    }

    Set<String> topics() {
        return topics;
    }

    long lastPoll() {
        return lastPoll;
    }

    public void subscribe(Collection<String> wanted, ConsumerRebalanceListener told) {
        topics = new TreeSet<>(wanted);
        listener = told;
        group.join(this);
    }

    public ConsumerRecords<byte[], byte[]> poll(Duration patience) {
        Kernel kernel = Kernel.it();
        long deadline = kernel.after(patience);
        kernel.point("before a poll");
        while (true) {
            lastPoll = kernel.now();
            answer();
            wake();
            ConsumerRecords<byte[], byte[]> records = broker.isDown() ? ConsumerRecords.empty() : fetchAsMember();
            if (!records.isEmpty() || kernel.now() >= deadline) {
                return records;
            }
            kernel.await(() -> woken || !answers.isEmpty() || !broker.isDown() && (group.isUnsettledFor(this) || hasRecords()), deadline);
        }
    }

    private void answer() {
        for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
            answer.run();
        }
    }

    private void wake() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    private ConsumerRecords<byte[], byte[]> fetchAsMember() {
        group.expire();
        if (!group.has(this)) {
            List<TopicPartition> lost = List.copyOf(positions.keySet());
            forget(lost);
            listener.onPartitionsLost(lost);
            group.join(this);
        }
        List<TopicPartition> revoked = group.toRevoke(this);
        if (!revoked.isEmpty()) {
            listener.onPartitionsRevoked(revoked);
            forget(revoked);
            group.release(revoked);
        }
        List<TopicPartition> assigned = group.toAssign(this);
        if (!assigned.isEmpty()) {
            group.take(this, assigned);
            assigned.forEach(partition -> positions.put(partition, group.committed(partition)
                    .map(next -> new Position(next.offset(), next.leaderEpoch())).orElse(Position.at(reset(partition)))));
            listener.onPartitionsAssigned(assigned);
        }
        return fetch();
    }

    private void forget(Collection<TopicPartition> gone) {
        gone.forEach(positions::remove);
        paused.removeAll(Set.copyOf(gone));
    }

    private boolean hasRecords() {
        for (Map.Entry<TopicPartition, Position> entry : positions.entrySet()) {
            if (isFetched(entry.getKey()) && goOnFrom(entry.getKey(), entry.getValue()) != broker.log(entry.getKey()).end()) {
                return true;
            }
        }
        return false;
    }

    private boolean isFetched(TopicPartition partition) {
        return !paused.contains(partition) && !broker.troubles.isMissing(partition.topic());
    }

    private long goOnFrom(TopicPartition partition, Position position) {
        return broker.log(partition).goOnFrom(position.offset, position.leaderEpoch);
    }

    /** A partition that cannot be read is told of only when the others have nothing: what was fetched of them is not lost by it. */
    private ConsumerRecords<byte[], byte[]> fetch() {
        var records = new LinkedHashMap<TopicPartition, List<ConsumerRecord<byte[], byte[]>>>();
        Optional<RuntimeException> broken = Optional.empty();
        for (TopicPartition partition : positions.keySet()) {
            long from = goOnFrom(partition, positions.get(partition));
            Log log = broker.log(partition);
            if (!isFetched(partition) || from == log.end()) {
                continue;
            }
            Optional<RuntimeException> why = broker.troubles.whyBroken(partition);
            if (why.isPresent()) {
                broken = broken.or(() -> why);
                continue;
            }
            // Beyond the end: its tail was lost.
            List<ConsumerRecord<byte[], byte[]>> fetched =
                    log.read(from > log.end() ? reset(partition) : from, 1 + Kernel.it().random().nextInt(MOST_RECORDS));
            if (!fetched.isEmpty()) {
                records.put(partition, fetched);
            }
        }
        if (records.isEmpty() && broken.isPresent()) {
            throw broken.get();
        }
        records.forEach((partition, fetched) -> positions.put(partition,
                new Position(fetched.getLast().offset() + 1, fetched.getLast().leaderEpoch())));
        return new ConsumerRecords<>(records, Map.of());
    }

    /** What {@code auto.offset.reset} says. */
    private long reset(TopicPartition partition) {
        return fromEnd ? broker.log(partition).end() : 0;
    }

    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        Kernel.it().point("before an offset commit");
        boolean heard = !broker.isDown() && !Kernel.it().chance(broker.faults().notTaken());
        boolean fenced = heard && !group.commit(this, offsets);
        boolean answered = heard && !Kernel.it().chance(broker.faults().ackLost());
        answers.add(() -> callback.onComplete(offsets, fenced ? new CommitFailedException()
                : answered ? null : new RetriableCommitFailedException("the simulated broker did not answer")));
        Kernel.it().point(COMMITTED);
    }

    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration patience) {
        Kernel kernel = Kernel.it();
        kernel.point("before an offset commit");
        wake();
        if (broker.isDown() || kernel.chance(broker.faults().notTaken())) {
            kernel.sleep(patience);
            throw new TimeoutException("the simulated broker did not answer");
        }
        if (!group.commit(this, offsets)) {
            throw new CommitFailedException();
        }
    }

    public Set<TopicPartition> paused() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(paused));
    }

    public Set<TopicPartition> assignment() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(positions.keySet()));
    }

    public void pause(Collection<TopicPartition> partitions) {
        requireAssigned(partitions);
        paused.addAll(partitions);
    }

    public void resume(Collection<TopicPartition> partitions) {
        requireAssigned(partitions);
        partitions.forEach(paused::remove);
    }

    public void seek(TopicPartition partition, long offset) {
        requireAssigned(List.of(partition));
        positions.put(partition, Position.at(offset));
    }

    public long position(TopicPartition partition) {
        requireAssigned(List.of(partition));
        return positions.get(partition).offset;
    }

    public OptionalLong currentLag(TopicPartition partition) {
        requireAssigned(List.of(partition));
        return OptionalLong.of(Math.max(0, broker.log(partition).end() - positions.get(partition).offset));
    }

    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        var found = new LinkedHashMap<TopicPartition, OffsetAndMetadata>();
        partitions.forEach(partition -> found.put(partition, group.committed(partition).orElse(null)));
        return found;
    }

    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration patience) {
        if (broker.isDown()) {
            Kernel.it().sleep(patience);
            throw new TimeoutException("the simulated broker did not answer");
        }
        return committed(partitions);
    }

    private void requireAssigned(Collection<TopicPartition> partitions) {
        if (!positions.keySet().containsAll(partitions)) {
            throw new IllegalStateException("No current assignment for one of " + partitions);
        }
    }

    public void wakeup() {
        woken = true;
    }

    public void close(CloseOptions options) {
        List<TopicPartition> owned = List.copyOf(positions.keySet());
        if (!owned.isEmpty() && group.has(this) && listener != null) {
            listener.onPartitionsRevoked(owned);
        }
        forget(owned);
        group.leave(this);
    }
}
