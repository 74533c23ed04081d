// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.SeriesGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Measures how long each login keeps a transaction open that has written, or holds locks that others may wait for. Postgres shows the
 * time of its start only to its own login. So a transaction's age counts from the first look that found it. For one thread.
 */
public final class OpenTransactions {

    private final Database database;
    private final InstantSource clock;
    private final SeriesGauge seconds;
    private Map<Open, Instant> seen = Map.of();

    private record Open(String login, String transaction) {}

    public OpenTransactions(Database database, InstantSource clock, MeterRegistry meters) {
        this.database = database;
        this.clock = clock;
        this.seconds = new SeriesGauge("chargeonce.transaction.open.seconds",
                "How long a login's oldest transaction that has written, or that others may wait for, has been open", meters);
    }

    /** Looks once. Always returns 0: the next look is not urgent. */
    public int runOnce() {
        Instant now = clock.instant();
        seen = database.withConnection(connection -> read(connection, now));
        var oldest = new HashMap<Tags, Double>();
        seen.forEach((open, since) -> oldest.merge(Tags.of("login", open.login),
                Duration.between(since, now).toMillis() / 1000.0, Math::max));
        seconds.set(oldest);
        return 0;
    }

    /**
     * What writes or locks rows gets a number. A table can be locked without one, even by who has no right to it: PREPARE takes the lock
     * that its statement needs, and DDL waits for its own, before either looks at rights. A plain query counts only while another waits for
     * it. A prepared transaction has no session.
     */
    private static final String READ = """
            SELECT usename, virtualtransaction
              FROM pg_locks JOIN pg_stat_activity AS its USING (pid)
             WHERE its.datname = current_database() AND usename IS NOT NULL
               AND (locktype = 'transactionid' AND granted AND mode = 'ExclusiveLock'
                    OR locktype = 'relation' AND mode <> 'AccessShareLock'
                    OR pid IN (SELECT unnest(pg_blocking_pids(pid)) FROM pg_locks WHERE NOT granted))
             UNION
            SELECT owner, transaction::text FROM pg_prepared_xacts WHERE database = current_database()
            """;

    private Map<Open, Instant> read(Connection connection, Instant now) throws SQLException {
        return Sql.all(connection, READ, row -> new Open(row.getString(1), row.getString(2))).stream()
                .collect(Collectors.toUnmodifiableMap(Function.identity(), open -> seen.getOrDefault(open, now)));
    }
}
