// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Records that come again: after offsets went back or got lost, and as copies in any order, some with another amount than
 * was accepted. For one thread.
 */
final class Redelivery {

    private static final Topics TOPICS = new Topics("payments");
    private static final int COPIED = 300;
    private static final int COPIES = 2;
    private static final int FORGED = 15;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final CampaignStage stage;
    private final Random random;
    private final Runnable look;
    private long copies;

    /** @param look called when no consumer reads any topic */
    Redelivery(CampaignStage stage, Random random, Runnable look) {
        this.stage = stage;
        this.random = random;
        this.look = look;
    }

    /** So many records were put on work topics a second time. */
    long copies() {
        return copies;
    }

    /** Returns the fault's name. */
    String inflict() {
        stage.healBroker();
        return switch (random.nextInt(3)) {
            case 0 -> {
                copyShuffled();
                yield "records again, shuffled";
            }
            case 1 -> withoutConsumers((admin, group, offsets) -> {
                Map<TopicPartition, OffsetAndMetadata> earlier = new HashMap<>();
                offsets.forEach((partition, offset) -> earlier.put(partition, new OffsetAndMetadata(random.nextLong(offset.offset() + 1))));
                admin.alterConsumerGroupOffsets(group, earlier).all().get();
                offsets.forEach((partition, offset) -> copies += offset.offset() - earlier.get(partition).offset());
            }, "offsets go back");
            default -> withoutConsumers((admin, group, offsets) -> {
                admin.deleteConsumerGroupOffsets(group, offsets.keySet()).all().get();
                offsets.values().forEach(offset -> copies += offset.offset());
            }, "offsets gone");
        };
    }

    private interface Change {
        void make(Admin admin, String group, Map<TopicPartition, OffsetAndMetadata> offsets)
                throws ExecutionException, InterruptedException;
    }

    /** A group's offsets can be changed while it has no members. */
    private String withoutConsumers(Change change, String name) {
        List<Child> consumers = stage.consumers();
        consumers.forEach(Child::askToEnd);
        consumers.forEach(consumer -> consumer.terminate(PATIENCE));
        look.run();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", stage.kafka()))) {
            String group = TOPICS.groupOfTier(random.nextInt(CampaignStage.TIERS.size() + 1));
            new PipelineTopics(stage.kafka()).awaitNoMembers(group, PATIENCE);
            change.make(admin, group, admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get());
        } catch (ExecutionException e) {
            throw new IllegalStateException("the offsets could not be changed: " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        consumers.forEach(Child::startIfDead);
        return name;
    }

    private void copyShuffled() {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        for (int tier = 0; tier <= CampaignStage.TIERS.size(); tier++) {
            records.addAll(newest(TOPICS.ofTier(tier)));
        }
        var copied = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            for (int i = 0; i < COPIES; i++) {
                copied.add(new ProducerRecord<>(record.topic(), null, record.key(), record.value(), record.headers()));
            }
        }
        Collections.shuffle(records, random);
        records.stream().limit(FORGED).map(Redelivery::withAnotherAmount).forEach(copied::add);
        Collections.shuffle(copied, random);
        try (var producer = new KafkaProducer<>(Map.of("bootstrap.servers", stage.kafka(), "max.request.size", "2000000"),
                new ByteArraySerializer(), new ByteArraySerializer())) {
            copied.forEach(producer::send);
        }
        copies += copied.size();
    }

    private static ProducerRecord<byte[], byte[]> withAnotherAmount(ConsumerRecord<byte[], byte[]> record) {
        byte[] value = record.value() == null ? null : new String(record.value(), StandardCharsets.UTF_8)
                .replaceFirst("\"amount\":", "\"amount\":1").getBytes(StandardCharsets.UTF_8);
        return new ProducerRecord<>(record.topic(), null, record.key(), value, record.headers());
    }

    private List<ConsumerRecord<byte[], byte[]>> newest(String topic) {
        Map<String, Object> settings = Map.of("bootstrap.servers", stage.kafka(), "enable.auto.commit", "false");
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition())).toList();
            consumer.assign(partitions);
            consumer.endOffsets(partitions).forEach(
                    (partition, end) -> consumer.seek(partition,
                            Math.max(0, end - COPIED / partitions.size() / (CampaignStage.TIERS.size() + 1))));
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            for (int i = 0; i < 3; i++) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }
}
