package io.chargeonce.kafka;

import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * When a fetched record is due, by the loop's clock. Asked once, when the record is fetched at {@code now}. Pure.
 *
 * <p>A record's timestamp is foreign data: whatever it says, no record waits longer than the delay from {@code now} on.
 */
@FunctionalInterface
public interface DueTimes {
    Instant dueAt(ConsumerRecord<byte[], byte[]> record, Instant now);

    /** Due since it was appended: nothing waits, and what is overdue shows how far the loop is behind. */
    static DueTimes immediately() {
        return (record, now) -> {
            Instant appended = Instant.ofEpochMilli(record.timestamp());
            return record.timestamp() < 0 || appended.isAfter(now) ? now : appended;
        };
    }

    /**
     * Due a delay after the broker appended it ({@code message.timestamp.type=LogAppendTime}).
     * The broker truncates to milliseconds, so one is added: never early.
     */
    static DueTimes afterAppend(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A delay of " + delay + " is negative");
        }
        Duration wait = delay.plusMillis(1);
        return (record, now) -> {
            Instant appended = Instant.ofEpochMilli(record.timestamp());
            return (appended.isAfter(now) ? now : appended).plus(wait);
        };
    }
}
