// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * How long a fetched record must still wait. Asked once, when the record is fetched.
 *
 * <p>A record's timestamp is the word of another clock, and ours may be wrong by hours. So no record waits longer than the
 * delay from its fetch on, and where the two clocks contradict each other it does not wait at all: the handler knows better,
 * and gives back what is too early with the time that remains ({@link Verdict.NotBefore}).
 */
@FunctionalInterface
public interface DueTimes {
    /** A clock that is behind by less only makes a record wait for so much longer. */
    Duration TOLERATED = Duration.ofSeconds(1);

    /** Below zero: for so long the record is overdue. */
    Duration untilDue(ConsumerRecord<byte[], byte[]> record);

    /** Due since it was appended: nothing waits, and what is overdue shows how far the loop is behind. */
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
     * Due a delay after the broker appended it ({@code message.timestamp.type=LogAppendTime}).
     * The broker truncates to milliseconds, so one is added: never early by the broker's clock.
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
