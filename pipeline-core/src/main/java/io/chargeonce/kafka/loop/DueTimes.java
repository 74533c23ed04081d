// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * How long a fetched record must still wait. Called once, when the record is fetched.
 *
 * <p>A record's timestamp comes from another clock, and our own clock may be wrong by hours. So no record waits longer than the delay,
 * counted from its fetch. Where the two clocks contradict each other, the record does not wait at all: the handler knows the right time,
 * and gives an early record back with the time that remains ({@link Verdict.NotBefore}).
 */
@FunctionalInterface
public interface DueTimes {
    /** A clock that is behind by less than this only makes a record wait that much longer. */
    Duration TOLERATED = Duration.ofSeconds(1);

    /** If negative, the record is overdue by that time. */
    Duration untilDue(ConsumerRecord<byte[], byte[]> record);

    /** Due as soon as it was appended. Nothing waits, and the overdue records show how far the loop is behind. */
    static DueTimes immediately() {
        return immediately(InstantSource.system());
    }

    static DueTimes immediately(InstantSource wallClock) {
        return record -> {
            Duration age = age(record, wallClock);
            return record.timestamp() < 0 || age.isNegative() ? Duration.ZERO : age.negated();
        };
    }

    /**
     * Due a delay after the broker appended it ({@code message.timestamp.type=LogAppendTime}). The broker truncates to milliseconds, so one
     * millisecond is added: never early by the broker's clock.
     */
    static DueTimes afterAppend(Duration delay) {
        return afterAppend(delay, InstantSource.system());
    }

    static DueTimes afterAppend(Duration delay, InstantSource wallClock) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("A delay of " + delay + " is negative");
        }
        Duration wait = delay.plusMillis(1);
        return record -> {
            Duration age = age(record, wallClock);
            if (age.plus(TOLERATED).isNegative()) {
                // Appended in our future. If every such record waited for the whole delay, a backlog would never drain.
                return Duration.ZERO;
            }
            return age.isNegative() ? wait : wait.minus(age);
        };
    }

    private static Duration age(ConsumerRecord<byte[], byte[]> record, InstantSource wallClock) {
        return Duration.between(Instant.ofEpochMilli(record.timestamp()), wallClock.instant());
    }
}
