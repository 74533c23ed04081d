// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import io.chargeonce.database.raw.HeaderBytes;
import io.chargeonce.database.raw.RawRow;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.kafka.ProducerSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * The topics that other systems' records go back to: which there are, and the largest batch that each takes, as Kafka said when they were
 * first asked about. A relay's producer would create what is missing where brokers allow that, or hold the record back for ever.
 */
public final class TargetTopics {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Map<String, Optional<Integer>> largest = new HashMap<>();

    /**
     * Asks about those that are not known yet.
     *
     * @throws KafkaException if Kafka cannot be reached, or says nothing of a topic
     */
    public void ask(Supplier<KafkaConnection> kafka, Collection<String> topics) {
        var unknown = topics.stream().filter(topic -> !largest.containsKey(topic))
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic)).toList();
        if (unknown.isEmpty()) {
            return;
        }
        try (Admin admin = kafka.get().newAdmin()) {
            admin.describeConfigs(unknown, inTime()).values().forEach((topic, config) -> largest.put(topic.name(),
                    answer(config).map(its -> Integer.parseInt(its.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value()))));
        }
    }

    /** Without it, closing the client would wait longer. */
    private static DescribeConfigsOptions inTime() {
        return new DescribeConfigsOptions().timeoutMs((int) PATIENCE.toMillis());
    }

    /** Who may not see a topic learns nothing of it. One such record must not keep a run from all others. */
    private static <T> Optional<T> answer(KafkaFuture<T> asked) {
        try {
            return Optional.of(asked.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException || e.getCause() instanceof InvalidTopicException
                    || e.getCause() instanceof TopicAuthorizationException) {
                return Optional.empty();
            }
            throw new KafkaException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted", e);
        }
    }

    /** Why a record cannot go to its topic; empty if it can. */
    public Optional<MoveResult> obstacle(RawRow row) {
        Optional<Integer> limit = largest.getOrDefault(row.topic(), Optional.empty());
        if (limit.isEmpty()) {
            return Optional.of(MoveResult.NO_TOPIC);
        }
        // Many small headers are larger in the outbox, which takes as much of them as a request does.
        boolean tooLarge = row.headers().length > ProducerSettings.LARGEST_REQUEST
                || size(row, Compression.NONE) > ProducerSettings.LARGEST_REQUEST || size(row, Compression.lz4().build()) > limit.get();
        return tooLarge ? Optional.of(MoveResult.TOO_LARGE) : Optional.empty();
    }

    /** Of a batch with this record alone: where a larger one is refused, a producer divides it. */
    private static int size(RawRow row, Compression compression) {
        var headers = new ArrayList<>(HeaderBytes.read(row.headers()));
        headers.add(new RecordHeader(RawRow.LETTER, row.letter().getBytes(StandardCharsets.UTF_8)));
        return MemoryRecords.withRecords(compression,
                new SimpleRecord(0, row.key(), row.value().orElse(null), headers.toArray(Header[]::new))).sizeInBytes();
    }
}
