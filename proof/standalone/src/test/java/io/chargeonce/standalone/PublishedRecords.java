// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.database.Database;
import io.chargeonce.runtime.PipelineSettings;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;

/** The records on the topics of a pipeline whose prefix is {@code payments}. */
final class PublishedRecords {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String OUTCOMES = "payments.outcomes";
    private static final Set<String> COUNTED = Set.of("io.chargeonce.payment.succeeded", "io.chargeonce.refund.succeeded",
            "io.chargeonce.refund.failed", "io.chargeonce.return.succeeded");

    private final Map<String, Object> client;

    PublishedRecords(PipelineSettings settings) {
        client = Map.of("bootstrap.servers", settings.kafka());
    }

    static Map<String, String> headers(ConsumerRecord<byte[], byte[]> record) {
        var headers = new HashMap<String, String>();
        record.headers().forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
        return headers;
    }

    /** Of every topic but the merchants' own. */
    List<ConsumerRecord<byte[], byte[]>> all() {
        return read(topics().stream().filter(topic -> topic.startsWith("payments.") && !topic.startsWith("payments.intake.")).toList());
    }

    private List<ConsumerRecord<byte[], byte[]>> read(List<String> topics) {
        try (var consumer = new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = topics.stream().flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition())).toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
            }
            return records;
        }
    }

    private Set<String> topics() {
        try (var admin = Admin.create(client)) {
            return admin.listTopics().names().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    void sendToIntake(String merchant, String key, String value) {
        String topic = "payments.intake." + merchant;
        try (var admin = Admin.create(client)) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
            send(List.of(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8))));
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    void awaitRefusal() {
        Awaitility.await().atMost(PATIENCE).until(() -> !read(List.of("payments.intake-refused")).isEmpty());
    }

    /** Publishes each outcome once more, as the relay does after a crash. */
    void repeatOutcomes() {
        send(read(List.of(OUTCOMES)).stream()
                .map(record -> new ProducerRecord<>(OUTCOMES, record.partition(), record.key(), record.value(), record.headers()))
                .toList());
    }

    private void send(List<ProducerRecord<byte[], byte[]>> records) {
        try (var producer = new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var answer : records.stream().map(producer::send).toList()) {
                answer.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Until the group has committed all that is on the topic of outcomes. */
    void awaitRead(String group) {
        try (var admin = Admin.create(client);
             var consumer = new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(OUTCOMES).stream()
                    .map(partition -> new TopicPartition(OUTCOMES, partition.partition())).toList();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Awaitility.await().atMost(PATIENCE).until(() -> {
                Map<TopicPartition, OffsetAndMetadata> committed =
                        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
                return ends.entrySet().stream().allMatch(end -> end.getValue() == 0
                        || committed.get(end.getKey()) != null && committed.get(end.getKey()).offset() >= end.getValue());
            });
        }
    }

    /** How many different events there are that change a revenue. */
    long countedOutcomes() {
        return read(List.of(OUTCOMES)).stream().map(PublishedRecords::headers).filter(headers -> COUNTED.contains(headers.get("ce_type")))
                .map(headers -> headers.get("ce_id")).distinct().count();
    }

    private static final String REVENUE = """
            SELECT merchant_id || ' ' || currency, sum(CASE kind WHEN 'charge' THEN amount ELSE -amount END)
              FROM operation_now WHERE kind IN ('charge', 'refund', 'return') AND state = 'succeeded' GROUP BY merchant_id, currency
            """;

    /** As the pipeline's database has it, by merchant and currency. */
    Map<String, Long> revenue(PipelineSettings settings) {
        try (var database = Database.open(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), 1)) {
            return database.withConnection(connection -> Sums.of(connection, REVENUE));
        }
    }

    /** What a query finds that has a name and a number. */
    static final class Sums {

        private Sums() {}

        static Map<String, Long> of(Connection connection, String sql) throws SQLException {
            try (var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
                var sums = new TreeMap<String, Long>();
                while (row.next()) {
                    sums.put(row.getString(1), row.getLong(2));
                }
                return sums;
            }
        }
    }
}
