// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.BatchReader;
import io.chargeonce.kafka.LogLimit;
import io.chargeonce.kafka.TooLargeRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the partitions that are {@link TooLargeToRead} for a consumer, each a little in turn. In the consumer they stay assigned and
 * paused, and continue there at the place that was reached. Of one consumer's time in its group. Poll thread only.
 */
final class IsolatedReads implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration AFTER_NOTHING = Duration.ofMillis(200);
    /** To measure gigabytes takes about a second, in which the others wait. */
    private static final Duration AFTER_A_LARGE_ONE = Duration.ofSeconds(1);
    private static final Duration AFTER_A_FAILURE = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(IsolatedReads.class);

    private final Consumer<byte[], byte[]> consumer;
    private final Supplier<BatchReader> readers;
    private final LoopSettings settings;
    private final Assignment assignment;
    private final InstantSource clock;
    private final LoopMeters meters;
    private final LogLimit logLimit;
    private final Map<PartitionWork, Place> places = new HashMap<>();
    private Optional<BatchReader> reader = Optional.empty();

    private record Place(long next, Instant notBefore) {}

    IsolatedReads(Consumer<byte[], byte[]> consumer, Supplier<BatchReader> readers, LoopSettings settings, Assignment assignment,
                  InstantSource clock, LoopMeters meters) {
        this.consumer = consumer;
        this.readers = readers;
        this.settings = settings;
        this.assignment = assignment;
        this.clock = clock;
        this.meters = meters;
        this.logLimit = new LogLimit(clock, Duration.ofSeconds(1));
    }

    /** @param found takes what was read of a partition */
    void read(BiConsumer<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> found) {
        places.keySet().removeIf(PartitionWork::isAbandoned);
        for (PartitionWork work : List.copyOf(assignment.all())) {
            Instant now = clock.instant();
            if (!assignment.tooLarge.isReadAlone(work.partition)) {
                continue;
            }
            if (assignment.tooLarge.isOver(work.partition, now)) {
                giveBack(work);
            } else if (!work.takesNoMore(now) && !now.isBefore(Optional.ofNullable(places.get(work)).map(Place::notBefore).orElse(now))) {
                work.leader().ifPresent(leader -> found.accept(work.partition, read(work, leader, now)));
            }
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> read(PartitionWork work, Node leader, Instant now) {
        try {
            long next = places.containsKey(work) ? places.get(work).next() : consumer.position(work.partition, PATIENCE);
            places.put(work, new Place(next, now.plus(AFTER_A_FAILURE)));
            BatchReader.Read read = reader().read(leader, work.partition, next);
            Duration rest = read.next() == next ? AFTER_NOTHING : Duration.ZERO;
            for (ConsumerRecord<byte[], byte[]> record : read.records()) {
                if (record instanceof TooLargeRecord tooLarge) {
                    tell(tooLarge, work.partition, now);
                    rest = AFTER_A_LARGE_ONE;
                }
            }
            places.put(work, new Place(read.next(), now.plus(rest)));
            return read.records();
        } catch (InterruptException ending) {
            throw ending;
        } catch (OffsetOutOfRangeException gone) {
            // The consumer knows where to go on.
            giveBack(work);
            return List.of();
        } catch (KafkaException failure) {
            log.info("{}: {} can't be read now; the next try is in {} s: {}", settings.name(), work.partition, AFTER_A_FAILURE.toSeconds(),
                    failure.toString());
            return List.of();
        }
    }

    private void tell(TooLargeRecord record, TopicPartition partition, Instant now) {
        assignment.tooLarge.wasFound(partition, now);
        meters.tooLarge();
        logLimit.ifAllowed(leftOut -> log.error("ALERT: {}: {}: records do not fit into memory when they are decompressed, and are "
                + "skipped. A writer of this topic sent them on purpose or by mistake; they can be read in Kafka until it deletes "
                + "them. The others continue. {} such messages were left out", settings.name(), record.told(), leftOut));
    }

    private void giveBack(PartitionWork work) {
        assignment.tooLarge.givenBack(work.partition);
        Optional.ofNullable(places.remove(work)).ifPresent(place -> consumer.seek(work.partition, place.next()));
    }

    private BatchReader reader() {
        if (reader.isEmpty()) {
            reader = Optional.of(readers.get());
        }
        return reader.get();
    }

    @Override
    public void close() {
        reader.ifPresent(BatchReader::close);
        reader = Optional.empty();
    }
}
