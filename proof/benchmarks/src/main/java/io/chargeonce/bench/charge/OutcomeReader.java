// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import io.chargeonce.bench.contestant.Arena;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the outcomes of one run, and notes when each payment's first one arrived. For one thread. */
final class OutcomeReader implements AutoCloseable {

    /** What a contestant that gets nowhere is given before it counts as having lost what is missing. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Payments payments;
    private final long[] arrivedAt;
    private int settled;

    OutcomeReader(Arena arena, Payments payments) {
        this.payments = payments;
        this.arrivedAt = new long[payments.count()];
        this.consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", arena.plot().kafka(), "max.poll.records", "10000"),
                new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var partitions = consumer.partitionsFor(arena.outcomes()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Returns once so many payments have an outcome; false if nothing more came for half a minute. */
    boolean readUntil(int count) {
        return readUntil(count, PATIENCE);
    }

    /** @param patience how long nothing may come before it gives up */
    boolean readUntil(int count, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        while (settled < count && System.nanoTime() < giveUp) {
            if (poll() > 0) {
                giveUp = System.nanoTime() + patience.toNanos();
            }
        }
        return settled >= count;
    }

    /** Reads what has come, waiting a moment if nothing has; returns how many payments are settled by it. */
    int poll() {
        int before = settled;
        var records = consumer.poll(Duration.ofMillis(20));
        long now = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            payments.number(new String(record.key(), StandardCharsets.US_ASCII)).ifPresent(number -> arrived(number, now));
        }
        return settled - before;
    }

    private void arrived(int number, long now) {
        if (arrivedAt[number] == 0) {
            arrivedAt[number] = now;
            settled++;
        }
    }

    int settled() {
        return settled;
    }

    /** By {@link System#nanoTime()}; 0 if it never did. */
    long arrivedAt(int number) {
        return arrivedAt[number];
    }

    @Override
    public void close() {
        consumer.close();
    }
}
