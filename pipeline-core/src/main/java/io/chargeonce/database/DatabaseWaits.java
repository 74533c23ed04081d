// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * Measures by Postgres's clock what waits there: the oldest staged record for Kafka, and the oldest commit of this service's login for a
 * synchronous standby. It reads the table instead of a relay's state, so that a relay that does nothing is noticed, in any process. While
 * no standby answers, commits neither fail nor end, and a caller that gives up leaves one behind. For one thread.
 */
public final class DatabaseWaits {

    private final Database database;
    private volatile double forKafka;
    private volatile double forStandby;

    public DatabaseWaits(Database database, MeterRegistry meters) {
        this.database = database;
        meters.gauge("chargeonce.outbox.oldest.seconds", this, waits -> waits.forKafka);
        meters.gauge("chargeonce.standby.awaited.seconds", this, waits -> waits.forStandby);
    }

    /** A login sees only its own sessions. */
    private static final String OLDEST_COMMIT = """
            SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0)
              FROM pg_stat_activity WHERE wait_event = 'SyncRep'
            """;

    /** Measures once. Always returns 0: the next measurement is not urgent. */
    public int runOnce() {
        forKafka = database.withConnection(Outbox::oldest).map(Outbox.Oldest::seconds).orElse(0.0);
        forStandby = database.withConnection(connection -> Sql.one(connection, OLDEST_COMMIT, row -> row.getDouble(1)));
        return 0;
    }
}
