// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.kafka.KafkaConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from its beginning, or a later time, to the end that it had when it was opened, without a group. One thread. */
final class TopicScan implements AutoCloseable {

    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Long> ends;
    private final Map<TopicPartition, Long> begins = new HashMap<>();

    private TopicScan(KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        this.consumer = consumer;
        this.ends = ends;
    }

    /** Empty if there is no such topic. */
    static Optional<TopicScan> open(KafkaConnection kafka, String topic) {
        Map<String, Object> properties = new HashMap<>(kafka.clientProperties());
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // A partition at a time is read, in the memory of a small process.
        properties.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 4 * 1024 * 1024);
        var consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            List<PartitionInfo> partitions = consumer.partitionsFor(topic, CONNECT_PATIENCE);
            if (partitions == null || partitions.isEmpty()) {
                consumer.close();
                return Optional.empty();
            }
            return Optional.of(new TopicScan(consumer, consumer.endOffsets(
                    partitions.stream().map(at -> new TopicPartition(topic, at.partition())).toList(), PATIENCE)));
        } catch (KafkaException e) {
            consumer.close();
            throw e;
        }
    }

    Iterable<TopicPartition> partitions() {
        return ends.keySet().stream().sorted((a, b) -> Integer.compare(a.partition(), b.partition())).toList();
    }

    /** Does not read what was written before this time. */
    void skipTo(Instant time) {
        var times = new HashMap<TopicPartition, Long>();
        ends.keySet().forEach(partition -> times.put(partition, time.toEpochMilli()));
        // A partition that has nothing newer has no such offset.
        consumer.offsetsForTimes(times, PATIENCE)
                .forEach((partition, first) -> begins.put(partition, first == null ? ends.get(partition) : Long.valueOf(first.offset())));
    }

    void read(TopicPartition partition, Consumer<ConsumerRecord<byte[], byte[]>> records) {
        consumer.assign(List.of(partition));
        if (begins.containsKey(partition)) {
            consumer.seek(partition, begins.get(partition));
        } else {
            consumer.seekToBeginning(List.of(partition));
        }
        long lastHeard = System.nanoTime();
        while (consumer.position(partition, PATIENCE) < ends.get(partition)) {
            List<ConsumerRecord<byte[], byte[]>> some = consumer.poll(POLL).records(partition);
            some.stream().filter(record -> record.offset() < ends.get(partition)).forEach(records);
            if (!some.isEmpty()) {
                lastHeard = System.nanoTime();
            } else if (System.nanoTime() - lastHeard > PATIENCE.toNanos()) {
                throw new KafkaException("Kafka sent nothing of %s for %d s".formatted(partition, PATIENCE.toSeconds()));
            }
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
