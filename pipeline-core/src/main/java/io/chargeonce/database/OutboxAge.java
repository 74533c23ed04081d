// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * Shows how long the oldest staged record waits for Kafka, by Postgres's clock. It asks the table and no relay, so that a relay
 * which does nothing is seen, in whatever process it is. For one thread.
 */
public final class OutboxAge {

    private final Database database;
    private volatile double seconds;

    public OutboxAge(Database database, MeterRegistry meters) {
        this.database = database;
        meters.gauge("chargeonce.outbox.oldest.seconds", this, age -> age.seconds);
    }

    /** Looks once. Always 0: the next look is not urgent. */
    public int runOnce() {
        seconds = database.withConnection(Outbox::oldest).map(Outbox.Oldest::seconds).orElse(0.0);
        return 0;
    }
}
