// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.examples;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads {@code payments.outcomes} into a {@link RevenueBook}. As many as there are partitions may share the work. */
public final class RevenueConsumer {

    private RevenueConsumer() {}

    /** Settings from the environment: KAFKA, DATABASE_URL (JDBC), GROUP and TOPIC. */
    public static void main(String[] args) throws SQLException {
        // Kafka's client logs to a library that is not here, which would say so.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        Map<String, String> set = System.getenv();
        String topic = set.getOrDefault("TOPIC", "payments.outcomes");
        try (var consumer = consumer(set.getOrDefault("KAFKA", "127.0.0.1:19092"), set.getOrDefault("GROUP", "revenue-java"))) {
            endWithCtrlC(consumer, Thread.currentThread());
            System.out.println("Reading " + topic + " into the table revenue. Ctrl-C ends it.");
            run(consumer, topic, set.get("DATABASE_URL"));
        }
    }

    /** The process ends when the consumer has left its group, so that another one takes its partitions at once. */
    private static void endWithCtrlC(KafkaConsumer<?, ?> consumer, Thread reader) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            consumer.wakeup();
            try {
                reader.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    /** Without automatic commits: an offset is committed only after the events below it are in the database. */
    public static KafkaConsumer<String, byte[]> consumer(String kafka, String group) {
        return new KafkaConsumer<>(Map.of("bootstrap.servers", kafka, "group.id", group, "auto.offset.reset", "earliest",
                "enable.auto.commit", "false", "isolation.level", "read_committed"), new StringDeserializer(), new ByteArrayDeserializer());
    }

    /** Until {@link KafkaConsumer#wakeup} is called, or a failure; after one, start it again. */
    public static void run(KafkaConsumer<String, byte[]> consumer, String topic, String databaseUrl) throws SQLException {
        consumer.subscribe(List.of(topic));
        try (var connection = DriverManager.getConnection(databaseUrl)) {
            var book = new RevenueBook(connection);
            while (true) {
                ConsumerRecords<String, byte[]> records = consumer.poll(Duration.ofSeconds(1));
                for (ConsumerRecord<String, byte[]> record : records) {
                    book.apply(record);
                }
                commit(consumer);
            }
        } catch (WakeupException stop) {
            // What is not committed is read again at the next start, and dropped as a repeat.
        }
    }

    private static void commit(KafkaConsumer<String, byte[]> consumer) {
        try {
            consumer.commitSync();
        } catch (CommitFailedException tooSlow) {
            // Another member has these partitions now. It reads the events again, and drops them.
        }
    }
}
