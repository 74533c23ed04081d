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
 * Makes records of the next release wait, so that a rolling deploy creates no poison: a newer process gets them when it takes over the
 * partition. A deploy takes less than {@link #LONGEST_WAIT}. A record that is older, or whose age is impossible, is poison. Any thread.
 */
final class FutureVersions {

    /** While a record waits, its partition's offset does not move. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(15);
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration LOG_EVERY = Duration.ofMinutes(1);
    private static final Logger LOG = LoggerFactory.getLogger(FutureVersions.class);

    private final InstantSource wallClock;
    private final Counter waiting;
    private OptionalLong loggedAt = OptionalLong.empty();

    FutureVersions(InstantSource wallClock, MeterRegistry meters) {
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
        if (isTimeToLog()) {
            log(record, newer);
        }
        return Optional.of(Verdict.notBefore(PAUSE));
    }

    private synchronized boolean isTimeToLog() {
        long now = System.nanoTime();
        boolean logged = loggedAt.isPresent() && now - loggedAt.getAsLong() < LOG_EVERY.toNanos();
        loggedAt = logged ? loggedAt : OptionalLong.of(now);
        return !logged;
    }

    private static void log(ConsumerRecord<byte[], byte[]> record, Decoded.Newer newer) {
        LOG.error("ALERT: {}-{} offset {} waits for a newer process: {}. Finish the deploy; after {} minutes the record"
                + " becomes a dead letter",
                record.topic(), record.partition(), record.offset(), newer.detail(), LONGEST_WAIT.toMinutes());
    }
}
