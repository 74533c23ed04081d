// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A topic with the assignments and committed offsets of its only group. Its consumers are scripted. One thread. */
final class ScriptedKafka {
    static final String TOPIC = "topic";
    private static final int MOST_OF_A_POLL = 10;

    private final Random random;
    private final List<TopicPartition> partitions;
    private final Map<TopicPartition, TreeMap<Long, ConsumerRecord<byte[], byte[]>>> logs = new HashMap<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    private final Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    private final List<Runnable> unansweredCommits = new ArrayList<>();
    private ConsumerRebalanceListener listener;
    private Uuid topicId = Uuid.randomUuid();
    private Optional<Set<TopicPartition>> assignNext = Optional.empty();
    private boolean losesNext;
    private boolean rereads;

    ScriptedKafka(Random random, int partitions) {
        this.random = random;
        this.partitions = IntStream.range(0, partitions).mapToObj(number -> new TopicPartition(TOPIC, number)).toList();
        makeAgain();
    }

    List<TopicPartition> partitions() {
        return partitions;
    }

    /** Replaces the topic by a new, empty one. */
    void makeAgain() {
        topicId = Uuid.randomUuid();
        rereads = false;
        partitions.forEach(partition -> {
            logs.put(partition, new TreeMap<>());
            ends.put(partition, 0L);
        });
    }

    ConsumerRecord<byte[], byte[]> append(TopicPartition partition, String key, String share, Instant at) {
        // Markers of transactions leave gaps.
        long offset = ends.get(partition) + (random.nextInt(10) == 0 ? 1 : 0);
        byte[] value = share.getBytes(StandardCharsets.UTF_8);
        byte[] keyBytes = key.isEmpty() ? null : key.getBytes(StandardCharsets.UTF_8);
        var record = new ConsumerRecord<>(TOPIC, partition.partition(), offset, at.toEpochMilli(), TimestampType.LOG_APPEND_TIME,
                key.length(), value.length, keyBytes, value, new RecordHeaders(), Optional.empty());
        logs.get(partition).put(offset, record);
        ends.put(partition, offset + 1);
        return record;
    }

    Collection<ConsumerRecord<byte[], byte[]>> log(TopicPartition partition) {
        return logs.get(partition).values();
    }

    /** True until a consumer has noticed that the topic is another one. */
    boolean isReadAsTheOneBefore() {
        return !rereads;
    }

    /** The committed offset of the present topic. */
    long committed(TopicPartition partition) {
        return Optional.ofNullable(committed.get(partition)).filter(offset -> offset.metadata().endsWith(topicId.toString()))
                .map(OffsetAndMetadata::offset).orElse(0L);
    }

    boolean isAllCommitted() {
        return partitions.stream().allMatch(partition -> logs.get(partition).isEmpty()
                || committed(partition) > logs.get(partition).lastKey());
    }

    /** With the next poll the member gets another assignment. */
    void rebalance(Set<TopicPartition> assigned, boolean lost) {
        assignNext = Optional.of(assigned);
        losesNext = lost;
    }

    TopicWatch.Descriptions descriptions() {
        List<TopicPartitionInfo> infos = partitions.stream()
                .map(partition -> new TopicPartitionInfo(partition.partition(), null, List.of(), List.of())).toList();
        return topics -> topics.stream().collect(Collectors.toMap(topic -> topic,
                topic -> KafkaFuture.completedFuture(new TopicDescription(topic, false, infos, Set.of(), topicId))));
    }

    /** A new consumer; the previous one is gone, with its assignment and unseen answers. */
    @SuppressWarnings("unchecked") // A proxy's type can't say more.
    Consumer<byte[], byte[]> newConsumer() {
        positions.clear();
        paused.clear();
        unansweredCommits.clear();
        rereads = true;
        assignNext = Optional.of(Set.copyOf(partitions));
        return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Consumer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "subscribe" -> {
                        listener = (ConsumerRebalanceListener) arguments[1];
                        yield null;
                    }
                    case "poll" -> poll();
                    case "paused" -> Set.copyOf(paused);
                    case "pause" -> paused.addAll((Collection<TopicPartition>) arguments[0]) ? null : null;
                    case "resume" -> paused.removeAll((Collection<TopicPartition>) arguments[0]) ? null : null;
                    case "committed" -> new HashMap<>(committed);
                    case "commitSync" -> commit((Map<TopicPartition, OffsetAndMetadata>) arguments[0]);
                    case "commitAsync" ->
                        commitSoon((Map<TopicPartition, OffsetAndMetadata>) arguments[0], (OffsetCommitCallback) arguments[1]);
                    case "currentLag" -> OptionalLong.empty();
                    case "close" -> null;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        committed.putAll(offsets);
        return null;
    }

    private Void commitSoon(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        boolean fails = random.nextInt(5) == 0;
        if (!fails) {
            commit(offsets);
        }
        unansweredCommits.add(() -> callback.onComplete(offsets, fails ? new RetriableCommitFailedException("told to fail") : null));
        return null;
    }

    private ConsumerRecords<byte[], byte[]> poll() {
        if (random.nextBoolean()) {
            List<Runnable> answers = List.copyOf(unansweredCommits);
            unansweredCommits.clear();
            answers.forEach(Runnable::run);
        }
        assignNext.ifPresent(this::assign);
        assignNext = Optional.empty();
        var polled = new HashMap<TopicPartition, List<ConsumerRecord<byte[], byte[]>>>();
        int room = 1 + random.nextInt(MOST_OF_A_POLL);
        for (TopicPartition partition : positions.keySet()) {
            List<ConsumerRecord<byte[], byte[]>> records = paused.contains(partition) ? List.of()
                    : logs.get(partition).tailMap(positions.get(partition)).values().stream().limit(room).toList();
            if (!records.isEmpty()) {
                room -= records.size();
                positions.put(partition, records.getLast().offset() + 1);
                polled.put(partition, records);
            }
        }
        return new ConsumerRecords<>(polled, Map.of());
    }

    private void assign(Set<TopicPartition> assigned) {
        Set<TopicPartition> leaving = new HashSet<>(positions.keySet());
        leaving.removeAll(assigned);
        Set<TopicPartition> coming = new HashSet<>(assigned);
        coming.removeAll(positions.keySet());
        if (!leaving.isEmpty() && losesNext) {
            listener.onPartitionsLost(leaving);
        } else if (!leaving.isEmpty()) {
            listener.onPartitionsRevoked(leaving);
        }
        positions.keySet().removeAll(leaving);
        paused.removeAll(leaving);
        coming.forEach(partition -> positions.put(partition,
                Optional.ofNullable(committed.get(partition)).map(OffsetAndMetadata::offset).orElse(0L)));
        listener.onPartitionsAssigned(coming);
    }
}
