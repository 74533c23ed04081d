// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.kafka;

import io.chargeonce.load.universe.kernel.Kernel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * One consumer group as its coordinator sees it, after KIP-848: a partition goes to its next owner when the last one has let
 * it go, or has been silent for too long and is fenced.
 */
public final class Group {

    private static final Duration LONGEST_POLL_INTERVAL = Duration.ofMinutes(1);
    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

    private final Broker broker;
    private final Set<ModelConsumer> members = new LinkedHashSet<>();
    private final Map<TopicPartition, ModelConsumer> target = new TreeMap<>(ORDER);
    private final Map<TopicPartition, ModelConsumer> owners = new TreeMap<>(ORDER);
    private final Map<TopicPartition, OffsetAndMetadata> committed = new TreeMap<>(ORDER);
    /** Whether every partition is with the member that it was dealt to. */
    private boolean settled;

    Group(Broker broker) {
        this.broker = broker;
    }

    void join(ModelConsumer member) {
        members.add(member);
        rebalance();
    }

    void leave(ModelConsumer member) {
        if (members.remove(member)) {
            owners.values().removeIf(owner -> owner == member);
            settled = false;
            rebalance();
        }
    }

    boolean has(ModelConsumer member) {
        return members.contains(member);
    }

    /** Assigns the partitions again, and not always as evenly as it could. */
    public void rebalance() {
        settled = false;
        target.clear();
        if (members.isEmpty()) {
            return;
        }
        var random = new Random(Kernel.it().random().nextLong());
        List<ModelConsumer> order = new ArrayList<>(members);
        Collections.shuffle(order, random);
        int next = 0;
        for (TopicPartition partition : partitions()) {
            target.put(partition, order.get(random.nextInt(4) == 0 ? random.nextInt(order.size()) : next % order.size()));
            next++;
        }
    }

    private List<TopicPartition> partitions() {
        return members.stream().flatMap(member -> member.topics().stream()).distinct().sorted()
                .flatMap(topic -> broker.partitions(topic).stream()).toList();
    }

    /** Fences each member that was silent, or did not poll, for too long. */
    void expire() {
        long now = Kernel.it().now();
        long timeout = broker.sessionTimeout().toNanos() / 1_000;
        long interval = LONGEST_POLL_INTERVAL.toNanos() / 1_000;
        var silent = new ArrayList<ModelConsumer>();
        for (ModelConsumer member : members) {
            if (member.host.isSilentFor(timeout, now) || now - member.lastPoll() > interval) {
                silent.add(member);
            }
        }
        silent.forEach(this::leave);
    }

    List<TopicPartition> toRevoke(ModelConsumer member) {
        var revoked = new ArrayList<TopicPartition>();
        owners.forEach((partition, owner) -> {
            if (owner == member && target.get(partition) != member) {
                revoked.add(partition);
            }
        });
        return revoked;
    }

    void release(Collection<TopicPartition> partitions) {
        partitions.forEach(owners::remove);
        settled = false;
    }

    List<TopicPartition> toAssign(ModelConsumer member) {
        var assigned = new ArrayList<TopicPartition>();
        target.forEach((partition, next) -> {
            if (next == member && !owners.containsKey(partition)) {
                assigned.add(partition);
            }
        });
        return assigned;
    }

    void take(ModelConsumer member, Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> owners.put(partition, member));
        settled = false;
    }

    /** Asked at every step of the universe, so it walks over nothing once all have what they should. */
    boolean isUnsettledFor(ModelConsumer member) {
        if (!members.contains(member)) {
            return true;
        }
        settled = settled || owners.equals(target);
        return !settled && (!toRevoke(member).isEmpty() || !toAssign(member).isEmpty());
    }

    /** By the member's epoch alone, as the broker does: false if it is fenced. */
    boolean commit(ModelConsumer member, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!members.contains(member)) {
            return false;
        }
        committed.putAll(offsets);
        return true;
    }

    void forget(String topic) {
        committed.keySet().removeIf(partition -> partition.topic().equals(topic));
    }

    public Optional<OffsetAndMetadata> committed(TopicPartition partition) {
        return Optional.ofNullable(committed.get(partition));
    }

    public Map<TopicPartition, OffsetAndMetadata> committed() {
        return Map.copyOf(committed);
    }

    /** As an operator may: from here on everything comes again. */
    public void rewind(TopicPartition partition, long offset) {
        committed.put(partition, new OffsetAndMetadata(offset));
        Optional.ofNullable(owners.get(partition)).ifPresent(this::leave);
    }

    public boolean hasFinished(String topic) {
        return broker.partitions(topic).stream().allMatch(partition -> committed(partition)
                .map(next -> broker.log(partition).goOnFrom(next.offset(), next.leaderEpoch())).orElse(0L) >= broker.log(partition).end());
    }
}
