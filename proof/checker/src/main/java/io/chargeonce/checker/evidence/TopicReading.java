// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads topics from their beginning to the end that they have now. Joins no group. For one thread. */
final class TopicReading implements TopicNames {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    private final KafkaConsumer<byte[], byte[]> reader;
    private final Admin admin;

    TopicReading(CheckEvidence evidence) {
        var properties = new HashMap<>(evidence.kafka());
        properties.put("enable.auto.commit", "false");
        properties.put("auto.offset.reset", "earliest");
        properties.put("fetch.max.bytes", "" + 8 * 1024 * 1024);
        // Every other request of the reader would stand in line behind a fetch that waits at the end of a topic.
        properties.put("fetch.max.wait.ms", "5");
        this.reader = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.admin = Admin.create(new HashMap<>(evidence.kafka()));
    }

    @Override
    public void each(String topic, Consumer<ConsumerRecord<byte[], byte[]>> action) {
        try {
            scan(partitions(topic), action);
        } catch (KafkaException e) {
            throw new EvidenceMissing("topic %s cannot be read: %s".formatted(topic, e.getMessage()), e);
        }
    }

    private List<TopicPartition> partitions(String topic) {
        return reader.listTopics().getOrDefault(topic, List.of()).stream()
                .map(info -> new TopicPartition(topic, info.partition())).toList();
    }

    @Override
    public boolean isWhole(String topic) {
        try {
            return reader.beginningOffsets(partitions(topic)).values().stream().allMatch(offset -> offset == 0);
        } catch (KafkaException e) {
            throw new EvidenceMissing("topic %s cannot be read: %s".formatted(topic, e.getMessage()), e);
        }
    }

    @Override
    public Optional<Duration> retention(String topic) {
        if (partitions(topic).isEmpty()) {
            return Optional.empty();
        }
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            long millis = Long.parseLong(config.get("retention.ms").value());
            boolean deletes = config.get("cleanup.policy").value().contains("delete");
            return deletes && millis >= 0 ? Optional.of(Duration.ofMillis(millis)) : Optional.empty();
        } catch (java.util.concurrent.ExecutionException e) {
            throw new EvidenceMissing("the settings of topic %s cannot be read: %s".formatted(topic, e.getCause().getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvidenceMissing("interrupted while reading the settings of topic " + topic, e);
        }
    }

    private void scan(List<TopicPartition> partitions, Consumer<ConsumerRecord<byte[], byte[]>> action) {
        Map<TopicPartition, Long> end = reader.endOffsets(partitions);
        reader.assign(partitions);
        reader.seekToBeginning(partitions);
        Set<TopicPartition> open = unfinished(partitions, end);
        long lastProgress = System.nanoTime();
        while (!open.isEmpty()) {
            var batch = reader.poll(POLL);
            for (var record : batch) {
                if (record.offset() < end.get(new TopicPartition(record.topic(), record.partition()))) {
                    action.accept(record);
                }
            }
            open = unfinished(open, end);
            lastProgress = batch.isEmpty() ? lastProgress : System.nanoTime();
            if (System.nanoTime() - lastProgress > PATIENCE_NANOS) {
                throw new KafkaException("nothing came for 30 s from " + open);
            }
        }
        // Also forgets what is paused, for the same topic may be read again.
        reader.unsubscribe();
    }

    /** By position, for the last offsets of a compacted topic may hold no record. */
    private Set<TopicPartition> unfinished(Collection<TopicPartition> partitions, Map<TopicPartition, Long> end) {
        var open = new HashSet<TopicPartition>();
        for (TopicPartition partition : partitions) {
            if (reader.position(partition) < end.get(partition)) {
                open.add(partition);
            } else {
                reader.pause(List.of(partition));
            }
        }
        return open;
    }

    @Override
    public Map<Integer, Long> committed(String group, String topic) {
        try {
            var offsets = new HashMap<Integer, Long>();
            Map<TopicPartition, OffsetAndMetadata> all =
                    admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
            all.forEach((partition, offset) -> {
                if (partition.topic().equals(topic) && offset != null) {
                    offsets.put(partition.partition(), offset.offset());
                }
            });
            return offsets;
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof org.apache.kafka.common.errors.GroupIdNotFoundException) {
                return Map.of();
            }
            throw new EvidenceMissing("the offsets of group %s cannot be read: %s".formatted(group, e.getCause().getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EvidenceMissing("interrupted while reading the offsets of group " + group, e);
        }
    }

    @Override
    public void close() {
        reader.close();
        admin.close();
    }
}
