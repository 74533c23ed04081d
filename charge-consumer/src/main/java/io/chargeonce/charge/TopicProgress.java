package io.chargeonce.charge;

import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.wire.PaymentHeaders;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** Tells how old the oldest record is that a group has yet to finish. Only looks: it joins no group. For one thread. */
final class TopicProgress implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Admin admin;
    private final Consumer<byte[], byte[]> reader;

    TopicProgress(KafkaConnection connection) {
        this.admin = connection.newAdmin();
        this.reader = connection.newReader();
    }

    /**
     * When the oldest unfinished record of the topic was staged: {@link Instant#MAX} if the group has finished them all.
     *
     * @return empty if it cannot be told now; then nothing may be taken for lost
     */
    Optional<Instant> oldestUnfinished(String topic, String group) {
        try {
            Map<TopicPartition, Long> unfinished = firstUnfinished(topic, group);
            return unfinished.isEmpty() ? Optional.of(Instant.MAX) : oldestAt(unfinished);
        } catch (ExecutionException | KafkaException cannotTell) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Map<TopicPartition, Long> firstUnfinished(String topic, String group) throws ExecutionException, InterruptedException {
        List<TopicPartition> partitions = reader.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition())).toList();
        Map<TopicPartition, Long> first = reader.beginningOffsets(partitions);
        Map<TopicPartition, Long> end = reader.endOffsets(partitions);
        Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
        var unfinished = new HashMap<TopicPartition, Long>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata done = committed.get(partition);
            long next = Math.max(first.get(partition), done == null ? 0 : done.offset());
            if (next < end.get(partition)) {
                unfinished.put(partition, next);
            }
        }
        return unfinished;
    }

    private Optional<Instant> oldestAt(Map<TopicPartition, Long> positions) {
        reader.assign(positions.keySet());
        positions.forEach(reader::seek);
        Set<TopicPartition> unseen = new HashSet<>(positions.keySet());
        Instant oldest = Instant.MAX;
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (!unseen.isEmpty() && System.nanoTime() < giveUp) {
            for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofMillis(500))) {
                var partition = new TopicPartition(record.topic(), record.partition());
                if (unseen.remove(partition)) {
                    reader.pause(List.of(partition));
                    oldest = stagedAt(record).isBefore(oldest) ? stagedAt(record) : oldest;
                }
            }
        }
        reader.unsubscribe();
        return unseen.isEmpty() ? Optional.of(oldest) : Optional.empty();
    }

    /** A relay that lagged appends late what was staged long ago, so its own word counts if it is the earlier one. */
    private static Instant stagedAt(ConsumerRecord<byte[], byte[]> record) {
        Instant appended = Instant.ofEpochMilli(record.timestamp());
        Header staged = record.headers().lastHeader(PaymentHeaders.TIME);
        if (staged == null || staged.value() == null || staged.value().length > 40) {
            return appended;
        }
        try {
            Instant said = Instant.parse(new String(staged.value(), StandardCharsets.US_ASCII));
            return said.isBefore(appended) ? said : appended;
        } catch (DateTimeException forged) {
            return appended;
        }
    }

    @Override
    public void close() {
        reader.close();
        admin.close();
    }
}
