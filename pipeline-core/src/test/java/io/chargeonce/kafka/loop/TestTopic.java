// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import static org.awaitility.Awaitility.await;
import io.chargeonce.kafka.ConsumerSettings;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import io.chargeonce.sandbox.TestStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;

/** A separate topic on the real broker, with a consumer group of the same name. Values are texts. */
final class TestTopic implements AutoCloseable {
    static final KafkaConnection CONNECTION = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());

    static {
        // Long enough for a busy machine.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private final String name = "t-" + UUID.randomUUID();
    private final Admin admin = Admin.create(CONNECTION.clientProperties());
    private final Producer<byte[], byte[]> producer = new ProducerSettings(CONNECTION, "test").newProducer();

    private TestTopic(int partitions, String timestampType) throws Exception {
        NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(Map.of("message.timestamp.type", timestampType));
        admin.createTopics(List.of(topic)).all().get();
        awaitLeaders(partitions);
    }

    /**
     * A broker that is not yet the leader of a new partition may refuse a producer's first batch and accept its second: then the first can
     * never be repeated in order.
     */
    private void awaitLeaders(int partitions) {
        Map<TopicPartition, OffsetSpec> every = IntStream.range(0, partitions).boxed()
                .collect(Collectors.toMap(partition -> new TopicPartition(name, partition), partition -> OffsetSpec.latest()));
        await().ignoreExceptions().until(() -> admin.listOffsets(every).all().get().size() == partitions);
    }

    /** The broker's clock stamps its records, as in the retry tiers. */
    static TestTopic withPartitions(int partitions) throws Exception {
        return new TestTopic(partitions, "LogAppendTime");
    }

    /** The sender may forge the timestamps. */
    static TestTopic withTimestampsOfTheSender() throws Exception {
        return new TestTopic(1, "CreateTime");
    }

    /** Deletes the topic and makes another one of the same name. */
    void makeAgain(int partitions) throws Exception {
        admin.deleteTopics(List.of(name)).all().get();
        NewTopic again = new NewTopic(name, partitions, (short) 1).configs(Map.of("message.timestamp.type", "LogAppendTime"));
        await().ignoreExceptions().until(() -> {
            admin.createTopics(List.of(again)).all().get();
            return true;
        });
        awaitLeaders(partitions);
    }

    Map<TopicPartition, OffsetAndMetadata> commits() throws Exception {
        return admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get();
    }

    /** Like a commit that arrives late. */
    void commit(Map<TopicPartition, OffsetAndMetadata> offsets) throws Exception {
        admin.alterConsumerGroupOffsets(name, offsets).all().get();
    }

    String name() {
        return name;
    }

    void send(int partition, String key, String value) throws Exception {
        producer.send(new ProducerRecord<>(name, partition, key.getBytes(), value.getBytes())).get();
    }

    void send(int partition, String key, String value, long timestamp) throws Exception {
        producer.send(new ProducerRecord<>(name, partition, timestamp, key.getBytes(), value.getBytes())).get();
    }

    /** A record of zeros, which is a few kilobytes in Kafka. */
    void sendZeros(int partition, int bytes) throws Exception {
        var properties = new HashMap<String, Object>(new ProducerSettings(CONNECTION, "bomber").properties());
        properties.putAll(Map.of("compression.type", "zstd", "max.request.size", Integer.MAX_VALUE, "buffer.memory", 1L << 31));
        try (var bomber = new KafkaProducer<byte[], byte[]>(properties)) {
            bomber.send(new ProducerRecord<>(name, partition, "k".getBytes(), new byte[bytes])).get();
        }
    }

    void sendWithoutKey(int partition, String value) throws Exception {
        producer.send(new ProducerRecord<>(name, partition, null, value.getBytes())).get();
    }

    /** Sends values 0 … n-1 in order, spread over partitions and keys, and returns them. */
    List<String> sendNumbers(int count, int partitions, int keysPerPartition) throws Exception {
        return sendNumbers(0, count, partitions, keysPerPartition);
    }

    List<String> sendNumbers(int from, int count, int partitions, int keysPerPartition) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (int number = from; number < from + count; number++) {
            int partition = number % partitions;
            String key = "key-" + partition + "-" + number / partitions % keysPerPartition;
            String value = Integer.toString(number);
            sent.add(producer.send(new ProducerRecord<>(name, partition, key.getBytes(), value.getBytes())));
            values.add(value);
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
        return values;
    }

    ConsumerSettings consumers(GroupProtocol protocol) {
        return new ConsumerSettings(switch (protocol) {
            case CONSUMER -> CONNECTION;
            // Members learn of a rebalance with their next heartbeat. In the other protocol the broker sets its interval.
            case CLASSIC -> new KafkaConnection(CONNECTION.bootstrapServers(), Map.of("heartbeat.interval.ms", "300"));
        }, name, protocol);
    }

    /** The group's committed offset, per partition that has one. */
    Map<Integer, Long> committed() throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(name).partitionsToOffsetAndMetadata().get();
        return offsets.entrySet().stream()
                .filter(entry -> Optional.ofNullable(entry.getValue()).isPresent())
                .collect(Collectors.toMap(entry -> entry.getKey().partition(), entry -> entry.getValue().offset()));
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        admin.close();
    }
}
