// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A fetched record that is not complete, and where it stands. Its mutable fields are guarded by its partition's lock. */
final class HeldRecord {
    final ConsumerRecord<byte[], byte[]> record;
    final PartitionWork work;
    final Offsets.Mark mark;
    final RecordKey key;
    /** Whom it belongs to. */
    final String share;
    final long bytes;

    Instant due;
    /** How many threads have it with the handler: none, one, or another one because the first got stuck. */
    int handlings;
    /** When the last of them began. */
    Instant begun = Instant.MIN;
    boolean waits;
    boolean complete;
    /** The next record of the same key, once it is due. */
    Optional<HeldRecord> follower = Optional.empty();
    /** In a row, about: two threads may run the record. */
    volatile int failures;

    HeldRecord(ConsumerRecord<byte[], byte[]> record, PartitionWork work, Offsets.Mark mark, Instant due, String share) {
        this.record = record;
        this.work = work;
        this.mark = mark;
        this.due = due;
        this.share = share;
        this.key = RecordKey.of(record);
        this.bytes = (long) Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
    }

    boolean isOverdue(Instant now) {
        return handlings == 0 && !due.isAfter(now);
    }

    /** One thread has it, since before that time, and it does not come again by itself. */
    boolean runsSinceBefore(Instant time) {
        return handlings == 1 && !waits && begun.isBefore(time);
    }
}
