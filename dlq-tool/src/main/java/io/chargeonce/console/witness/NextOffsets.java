// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;

/** Which offset of each partition is read next, to notice records that were deleted before they were read. Any thread. */
final class NextOffsets {

    private final Map<TopicPartition, Long> next = new ConcurrentHashMap<>();

    /** Where an earlier start stopped. Without one, the topics' beginnings are where the history begins, and nothing is missed there. */
    void startAt(TopicPartition partition, long offset) {
        next.put(partition, offset);
    }

    /** @return how many records before this one were never seen */
    long read(TopicPartition partition, long offset) {
        Long expected = next.put(partition, offset + 1);
        return expected == null ? 0 : Math.max(0, offset - expected);
    }
}
