// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** The commit's metadata carries the id of the topic that the offset belongs to. Pure. */
public final class CommittedTopic {
    private static final String PREFIX = "topic-id:";

    private CommittedTopic() {}

    public static OffsetAndMetadata of(String topicId, long offset, Optional<Integer> leaderEpoch) {
        return new OffsetAndMetadata(offset, leaderEpoch, PREFIX + topicId);
    }

    public static boolean isKnown(OffsetAndMetadata committed) {
        return committed.metadata().startsWith(PREFIX);
    }

    public static boolean isAnotherThan(String topicId, OffsetAndMetadata committed) {
        return isKnown(committed) && !committed.metadata().equals(PREFIX + topicId);
    }
}
