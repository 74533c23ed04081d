// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Instant;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A fetched record that is not complete, with its progress. Its mutable fields are guarded by its partition's lock. */
final class HeldRecord {
    final ConsumerRecord<byte[], byte[]> record;
    final PartitionWork work;
    final Offsets.Mark mark;
    final RecordKey key;
    /** Its owner, mostly a merchant. */
    final String share;
    final long bytes;

    Instant due;
    /** How many handler calls run for it: none, one, or two because the first got stuck. */
    int handlings;
    /** When the latest call began. */
    Instant begun = Instant.MIN;
    boolean waits;
    boolean complete;
    /** The next record of the same key, once it is due. */
    Optional<HeldRecord> follower = Optional.empty();
    /** In a row, approximately: two threads may run the record. */
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

    /** One call has been running since before that time, and the record is not waiting to run again. */
    boolean runsSinceBefore(Instant time) {
        return handlings == 1 && !waits && begun.isBefore(time);
    }
}
