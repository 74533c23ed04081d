// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.kafka.loop.Verdict;
import io.chargeonce.wire.Decoded;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets records of the next release wait, so that a rolling deploy makes no poison: a newer process gets them when it takes over
 * the partition. A deploy is over sooner than {@link #LONGEST_WAIT}; what is older, or has no believable age, is poison. Any
 * thread.
 */
final class NewerRecords {

    /** While one waits, its partition's offset does. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(15);
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration TELL_EVERY = Duration.ofMinutes(1);
    private static final Logger LOG = LoggerFactory.getLogger(NewerRecords.class);

    private final InstantSource wallClock;
    private final Counter waiting;
    private OptionalLong toldAt = OptionalLong.empty();

    NewerRecords(InstantSource wallClock, MeterRegistry meters) {
        this.wallClock = wallClock;
        this.waiting = meters.counter("chargeonce.records.newer");
    }

    /** Empty if it has waited long enough. */
    Optional<Verdict> letWait(ConsumerRecord<byte[], byte[]> record, Decoded.Newer newer) {
        Duration age = Duration.between(Instant.ofEpochMilli(record.timestamp()), wallClock.instant()).abs();
        if (record.timestamp() < 0 || age.compareTo(LONGEST_WAIT) > 0) {
            return Optional.empty();
        }
        waiting.increment();
        if (isTimeToTell()) {
            tell(record, newer);
        }
        return Optional.of(Verdict.notBefore(PAUSE));
    }

    private synchronized boolean isTimeToTell() {
        long now = System.nanoTime();
        boolean told = toldAt.isPresent() && now - toldAt.getAsLong() < TELL_EVERY.toNanos();
        toldAt = told ? toldAt : OptionalLong.of(now);
        return !told;
    }

    private static void tell(ConsumerRecord<byte[], byte[]> record, Decoded.Newer newer) {
        LOG.error("ALERT: {}-{} offset {} waits for a newer process: {}. Finish the deploy; after {} minutes the record"
                + " becomes a dead letter",
                record.topic(), record.partition(), record.offset(), newer.detail(), LONGEST_WAIT.toMinutes());
    }
}
