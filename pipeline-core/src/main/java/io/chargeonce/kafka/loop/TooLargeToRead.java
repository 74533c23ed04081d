// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Which partitions are read batch by batch, each measured before it is unpacked. A small batch may be very large once it is unpacked, and
 * the error of Kafka's consumer does not say whose it is. So all are read so for a while, and those where one was found for longer.
 * Outlives a consumer. Poll thread only.
 */
final class TooLargeToRead {
    private static final Duration AFTER_AN_ERROR = Duration.ofMinutes(1);
    private static final Duration AFTER_ONE_WAS_FOUND = Duration.ofHours(1);

    private final Map<TopicPartition, Instant> readAlone = new HashMap<>();

    /** @param assigned all that might have been fetched when there was no memory */
    void noMemoryFor(Collection<TopicPartition> assigned, Instant now) {
        assigned.forEach(partition -> readAlone(partition, now.plus(AFTER_AN_ERROR)));
    }

    void wasFound(TopicPartition partition, Instant now) {
        readAlone(partition, now.plus(AFTER_ONE_WAS_FOUND));
    }

    private void readAlone(TopicPartition partition, Instant until) {
        readAlone.merge(partition, until, (one, other) -> one.isAfter(other) ? one : other);
    }

    /** Until {@link #givenBack}. */
    boolean isReadAlone(TopicPartition partition) {
        return readAlone.containsKey(partition);
    }

    boolean isOver(TopicPartition partition, Instant now) {
        return !now.isBefore(readAlone.getOrDefault(partition, Instant.MIN));
    }

    void givenBack(TopicPartition partition) {
        readAlone.remove(partition);
    }
}
