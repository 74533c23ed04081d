package io.chargeonce.charge;

import io.chargeonce.kafka.KafkaConnection;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Tells how far a group has come on a topic, by positions alone: no clock is compared and no record believed. Only looks: it
 * joins no group. For one thread.
 */
final class TopicProgress implements AutoCloseable {

    /**
     * @param finished the group has finished what is below this offset, or it is gone
     * @param end      where the next record will stand
     */
    record Position(long finished, long end) {}

    private final Admin admin;
    private final Consumer<byte[], byte[]> reader;

    TopicProgress(KafkaConnection connection) {
        this.admin = connection.newAdmin();
        this.reader = connection.newReader();
    }

    /** Of each partition; empty if it cannot be told now: then nothing may be taken for lost. */
    Optional<Map<TopicPartition, Position>> of(String topic, String group) {
        try {
            List<TopicPartition> partitions = reader.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition())).toList();
            return partitions.isEmpty() ? Optional.empty() : Optional.of(positions(partitions, group));
        } catch (ExecutionException | KafkaException cannotTell) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /** What is committed is asked first: then an end below it can only be that of a topic which was made again. */
    private Map<TopicPartition, Position> positions(Collection<TopicPartition> partitions, String group)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
        Map<TopicPartition, Long> first = reader.beginningOffsets(partitions);
        Map<TopicPartition, Long> end = reader.endOffsets(partitions);
        var positions = new HashMap<TopicPartition, Position>();
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata done = committed.get(partition);
            boolean speaksOfThisTopic = done != null && done.offset() <= end.get(partition);
            positions.put(partition, new Position(
                    speaksOfThisTopic ? Math.max(first.get(partition), done.offset()) : first.get(partition), end.get(partition)));
        }
        return positions;
    }

    @Override
    public void close() {
        reader.close();
        admin.close();
    }
}
