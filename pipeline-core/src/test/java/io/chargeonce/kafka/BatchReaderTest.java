// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchReaderTest {
    private static final KafkaConnection CONNECTION = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private static final int LARGEST = 1 << 20;

    private final TopicPartition partition = new TopicPartition("batches-" + UUID.randomUUID(), 0);
    private final BatchReader reader = new BatchReader(new ConsumerSettings(CONNECTION, "g", GroupProtocol.CLASSIC).properties(), LARGEST);
    private Node leader;

    @BeforeEach
    void makeTopic() throws Exception {
        try (Admin admin = CONNECTION.newAdmin()) {
            admin.createTopics(List.of(new NewTopic(partition.topic(), 1, (short) 1))).all().get();
            leader = admin.describeCluster().controller().get();
        }
    }

    @AfterEach
    void close() {
        reader.close();
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
        var properties = new HashMap<String, Object>(new ProducerSettings(CONNECTION, "test").properties());
        properties.put("max.request.size", 64 << 20);
        properties.putAll(settings);
        return new KafkaProducer<>(properties);
    }

    private ProducerRecord<byte[], byte[]> record(String key, byte[] value) {
        var record = new ProducerRecord<>(partition.topic(), 0, key == null ? null : key.getBytes(), value);
        record.headers().add("h", new byte[] {7}).add("none", null);
        return record;
    }

    private List<ConsumerRecord<byte[], byte[]>> all(long from) {
        var all = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        BatchReader.Read read = reader.read(leader, partition, from);
        for (long next = from; read.next() > next; read = reader.read(leader, partition, next)) {
            next = read.next();
            all.addAll(read.records());
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void records_are_as_a_consumer_reads_them_and_what_is_too_large_is_told_by_its_place(String compression) throws Exception {
        int large = compression.equals("none") ? 100 : 20 * LARGEST;
        try (var producer = producer(Map.of("compression.type", compression))) {
            for (byte[] value : new byte[][] {{1}, null, new byte[large], {2}}) {
                producer.send(record(value == null ? null : "key", value)).get();
            }
        }
        List<ConsumerRecord<byte[], byte[]>> read = all(0);

        assertThat(read).extracting(ConsumerRecord::offset).containsExactly(0L, 1L, 2L, 3L);
        assertThat(read.get(0).value()).containsExactly(1);
        assertThat(read.get(0).key()).isEqualTo("key".getBytes());
        assertThat(read.get(0).headers().lastHeader("h").value()).containsExactly(7);
        assertThat(read.get(0).headers().lastHeader("none").value()).isNull();
        assertThat(read.get(0).timestamp()).isPositive();
        assertThat(read.get(1).key()).isNull();
        assertThat(read.get(1).value()).isNull();
        assertThat(read.get(3).value()).containsExactly(2);
        assertThat(read.get(2) instanceof TooLargeRecord).isEqualTo(large > LARGEST);
        assertThat(all(3)).hasSize(1);
    }

    @Test
    void a_batch_of_many_records_is_measured_as_a_whole_and_told_once() throws Exception {
        try (var producer = producer(Map.of("compression.type", "zstd", "linger.ms", 10_000, "batch.size", 16 << 20))) {
            for (int i = 0; i < 30; i++) {
                producer.send(record("key", new byte[100_000]));
            }
        }
        List<ConsumerRecord<byte[], byte[]>> read = all(0);
        assertThat(read).hasSize(1);
        assertThat(((TooLargeRecord) read.getFirst()).told()).startsWith("offsets 0 to 29 of " + partition + ": ");
        assertThat(read.getFirst().offset()).isEqualTo(29);
        assertThat(((TooLargeRecord) all(10).getFirst()).told()).startsWith("offsets 10 to 29 of ");
    }

    @Test
    void what_a_transaction_has_taken_back_is_not_read() throws Exception {
        try (var producer = producer(Map.of("transactional.id", "t-" + UUID.randomUUID())); var plain = producer(Map.of())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(record("aborted", new byte[] {1})).get();
            plain.send(record("beside", new byte[] {2})).get();
            producer.send(record("aborted", new byte[20 * LARGEST])).get();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(record("committed", new byte[] {3})).get();
            producer.commitTransaction();
            producer.beginTransaction();
            producer.send(record("open", new byte[] {4})).get();
            assertThat(all(0)).extracting(record -> new String(record.key())).containsExactly("beside", "committed");
        }
    }
}
