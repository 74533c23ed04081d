// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import io.chargeonce.kafka.CommittedTopic;
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
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads how far a group has come on a topic, from offsets alone: no clocks are compared and no record's content is trusted. It only reads
 * and joins no group. For one thread.
 */
public final class TopicProgress implements AutoCloseable {

    /**
     * @param finished below this offset the group has finished each record, or the record is gone
     * @param end      the offset of the next record
     */
    record Position(long finished, long end) {}

    /**
     * @param partitions how many the topic has, including those without a leader now
     * @param positions  of those with a leader
     */
    record Progress(int partitions, Map<TopicPartition, Position> positions) {}

    private static final Logger LOG = LoggerFactory.getLogger(TopicProgress.class);

    private final KafkaConnection connection;
    private Admin admin;
    private Consumer<byte[], byte[]> reader;

    public TopicProgress(KafkaConnection connection) {
        this.connection = connection;
        this.admin = connection.newAdmin();
        this.reader = connection.newReader();
    }

    /** The positions of partitions with a leader; empty if they cannot be read now. Then no work may be taken for lost. */
    public Optional<Progress> of(String topic, String group) {
        try {
            List<PartitionInfo> partitions = reader.partitionsFor(topic);
            List<TopicPartition> led = partitions.stream().filter(info -> info.leader() != null)
                    .map(info -> new TopicPartition(topic, info.partition())).toList();
            return led.isEmpty() ? Optional.empty() : Optional.of(new Progress(partitions.size(), positions(topic, led, group)));
        } catch (ExecutionException | KafkaException cannotTell) {
            if (cannotTell instanceof AuthenticationException || cannotTell.getCause() instanceof AuthenticationException) {
                renew();
            }
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * Committed offsets are read first, and then the id of the topic that they have to be of. One beyond the end of the same topic is of a
     * tail that was lost: the group has finished everything before. What came since then may be staged once more, until the group commits.
     */
    private Map<TopicPartition, Position> positions(String topic, Collection<TopicPartition> partitions, String group)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed =
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
        String id = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId().toString();
        Map<TopicPartition, Long> first = reader.beginningOffsets(partitions);
        Map<TopicPartition, Long> end = reader.endOffsets(partitions);
        var positions = new HashMap<TopicPartition, Position>();
        for (TopicPartition partition : partitions) {
            long finished = Optional.ofNullable(committed.get(partition)).filter(done -> !CommittedTopic.isAnotherThan(id, done))
                    .map(done -> Math.min(done.offset(), end.get(partition))).orElse(0L);
            positions.put(partition, new Position(Math.max(first.get(partition), finished), end.get(partition)));
        }
        return positions;
    }

    /** A client keeps the password that it was created with. Until new ones can be created, the old ones stay, and fail again. */
    private void renew() {
        try {
            Admin newAdmin = connection.newAdmin();
            Consumer<byte[], byte[]> newReader;
            try {
                newReader = connection.newReader();
            } catch (IllegalArgumentException | KafkaException e) {
                newAdmin.close();
                throw e;
            }
            close();
            admin = newAdmin;
            reader = newReader;
        } catch (IllegalArgumentException | KafkaException e) {
            LOG.warn("Kafka refuses the credentials, and its properties file cannot be used now. It will be read again: {}",
                    e.getMessage());
        }
    }

    @Override
    public void close() {
        reader.close();
        admin.close();
    }
}
