// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * How far a partition is complete without a gap: only offsets below the lowest incomplete one may be committed. Guarded by its partition's
 * lock.
 */
final class Offsets {
    private final Deque<Mark> fromLowestIncomplete = new ArrayDeque<>();
    private Optional<OffsetAndMetadata> committable = Optional.empty();

    /** One record's offset. It is small and separate from the record, because many may wait behind one slow record. */
    static final class Mark {
        private final long offset;
        private final Optional<Integer> leaderEpoch;
        private boolean complete;

        private Mark(long offset, Optional<Integer> leaderEpoch) {
            this.offset = offset;
            this.leaderEpoch = leaderEpoch;
        }
    }

    /** False if the log jumped back, which happens when its tail was lost. The held records then no longer match the log. */
    boolean isFollowedBy(long offset) {
        return fromLowestIncomplete.isEmpty()
                ? committable.map(next -> next.offset() <= offset).orElse(true)
                : fromLowestIncomplete.peekLast().offset < offset;
    }

    /** No offset was added yet, and everything below this one is complete. */
    void beginAt(long offset) {
        committable = Optional.of(new OffsetAndMetadata(offset));
    }

    /** Offsets come in ascending order, possibly with gaps. */
    Mark add(long offset, Optional<Integer> leaderEpoch) {
        if (!isFollowedBy(offset)) {
            throw new IllegalStateException("Bug! Offset " + offset + " does not follow what is held");
        }
        Mark mark = new Mark(offset, leaderEpoch);
        fromLowestIncomplete.addLast(mark);
        return mark;
    }

    void complete(Mark mark) {
        if (mark.complete) {
            throw new IllegalStateException("Bug! Offset " + mark.offset + " was completed twice");
        }
        mark.complete = true;
        Optional<Mark> passed = Optional.empty();
        while (!fromLowestIncomplete.isEmpty() && fromLowestIncomplete.peekFirst().complete) {
            passed = Optional.of(fromLowestIncomplete.removeFirst());
        }
        passed.ifPresent(last -> committable = Optional.of(new OffsetAndMetadata(last.offset + 1, last.leaderEpoch, "")));
    }

    /** The next offset to read, with everything below it complete; empty until the first record is complete. */
    Optional<OffsetAndMetadata> committable() {
        return committable;
    }

    /** How many offsets cannot be committed yet, from the lowest incomplete to the last. */
    int uncommittable() {
        return fromLowestIncomplete.size();
    }
}
