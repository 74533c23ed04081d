// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * Measures how long the oldest staged record has waited for Kafka, by Postgres's clock. It reads the table instead of a relay's state, so
 * that a relay that does nothing is noticed, in any process. For one thread.
 */
public final class OutboxAge {

    private final Database database;
    private volatile double seconds;

    public OutboxAge(Database database, MeterRegistry meters) {
        this.database = database;
        meters.gauge("chargeonce.outbox.oldest.seconds", this, age -> age.seconds);
    }

    /** Measures once. Always returns 0: the next measurement is not urgent. */
    public int runOnce() {
        seconds = database.withConnection(Outbox::oldest).map(Outbox.Oldest::seconds).orElse(0.0);
        return 0;
    }
}
