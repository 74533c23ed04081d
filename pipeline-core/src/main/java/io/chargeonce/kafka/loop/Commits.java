// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits how far each partition is complete. Poll thread only.
 *
 * <p>A commit that fails loses nothing: the offset is committed later, or the records are delivered again and found to be done.
 */
final class Commits {
    private static final Duration SYNC_TIMEOUT = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(Commits.class);

    private final Consumer<byte[], byte[]> consumer;
    private final LoopSettings settings;
    private final InstantSource clock;
    private final LoopMeters meters;
    private Instant next = Instant.MIN;
    private boolean pending;

    Commits(Consumer<byte[], byte[]> consumer, LoopSettings settings, InstantSource clock, LoopMeters meters) {
        this.consumer = consumer;
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
    }

    /** Commits changed offsets without waiting, once per interval and one commit at a time. */
    void whenTheIntervalIsOver(Collection<PartitionWork> works) {
        Instant now = clock.instant();
        if (pending || now.isBefore(next)) {
            return;
        }
        next = now.plus(settings.commitInterval());
        Map<TopicPartition, OffsetAndMetadata> offsets = offsets(works, PartitionWork::takeChangedOffset);
        if (!offsets.isEmpty()) {
            pending = true;
            List<PartitionWork> committing = works.stream().filter(work -> offsets.containsKey(work.partition)).toList();
            consumer.commitAsync(offsets, (done, failure) -> committed(committing, Optional.ofNullable(failure)));
        }
    }

    /** Commits and waits for a bounded time. For partitions that leave us. */
    void now(Collection<PartitionWork> works) {
        Map<TopicPartition, OffsetAndMetadata> offsets = offsets(works, PartitionWork::committable);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            commit(offsets);
        } catch (KafkaException failure) {
            failed(failure);
        }
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets, SYNC_TIMEOUT);
        } catch (WakeupException closing) {
            // The wake-up was meant for a poll, and is used up now.
            consumer.commitSync(offsets, SYNC_TIMEOUT);
        }
    }

    /** Takes the very objects whose offsets were committed, so a late answer cannot touch a later assignment of the same partition. */
    private void committed(List<PartitionWork> committing, Optional<Exception> failure) {
        pending = false;
        failure.ifPresent(reason -> {
            committing.forEach(PartitionWork::commitFailed);
            failed(reason);
        });
    }

    private void failed(Exception reason) {
        meters.commitFailed();
        log.warn("{}: an offset commit failed; it is repeated, or its records are delivered again: {}", settings.name(), reason.toString());
    }

    private static Map<TopicPartition, OffsetAndMetadata> offsets(
                                                                  Collection<PartitionWork> works,
                                                                  Function<PartitionWork, Optional<OffsetAndMetadata>> offsetOf) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        works.forEach(work -> offsetOf.apply(work).ifPresent(offset -> offsets.put(work.partition, offset)));
        return offsets;
    }
}
