// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers that schema, rights or statements did not fit each other. The work waits and is tried again, so a misfit that lasts is seen
 * again and again. Any thread.
 */
final class SchemaMismatches {

    private static final Logger LOG = LoggerFactory.getLogger(SchemaMismatches.class);
    /** Longer than the longest pause before work is tried again, so a misfit that lasts is seen again within it. */
    private static final Duration REMEMBERED = Duration.ofSeconds(30);

    private record Seen(long nanos, String what) {}

    private volatile Optional<Counter> counter = Optional.empty();
    private volatile Optional<Seen> latest = Optional.empty();

    void notice(DatabaseRefused refused) {
        if (refused.isOurs()) {
            if (problem().isEmpty()) {
                LOG.error(
                        "ALERT: Postgres refuses a statement of ours ({}): {}. Schema, rights and version of this service do not fit each "
                                + "other. Its work waits and is repeated, and nothing is dead-lettered because of it. Run migrate, or roll "
                                + "the service back",
                        refused.sqlState(), refused.getMessage());
            }
            latest = Optional.of(new Seen(System.nanoTime(), refused.getMessage()));
            counter.ifPresent(Counter::increment);
        }
    }

    /** The last misfit, in one line; empty if there was none lately. */
    Optional<String> problem() {
        return latest.filter(seen -> System.nanoTime() - seen.nanos < REMEMBERED.toNanos()).map(Seen::what);
    }

    /** All databases of a process count into one meter. */
    void countedBy(MeterRegistry meters) {
        counter = Optional.of(Counter.builder("chargeonce.database.misfits")
                .description("Statements that Postgres refused because schema, rights and statement do not fit").register(meters));
    }
}
