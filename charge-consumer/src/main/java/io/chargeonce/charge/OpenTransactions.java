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
 * Measures how long each login keeps a transaction open in which it has written or locked rows, so that others may wait for it. Postgres
 * shows the time of its start only to its own login. So a transaction's age counts from the first look that found it. For one thread.
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
                "How long a login's oldest transaction that has written or locked rows has been open", meters);
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

    /** Only what writes or locks rows gets a number. A prepared transaction has no session. */
    private static final String READ = """
            SELECT usename, backend_xid::text FROM pg_stat_activity
             WHERE datname = current_database() AND usename IS NOT NULL AND backend_xid IS NOT NULL
             UNION ALL
            SELECT owner, transaction::text FROM pg_prepared_xacts WHERE database = current_database()
            """;

    private Map<Open, Instant> read(Connection connection, Instant now) throws SQLException {
        return Sql.all(connection, READ, row -> new Open(row.getString(1), row.getString(2))).stream().distinct()
                .collect(Collectors.toUnmodifiableMap(Function.identity(), open -> seen.getOrDefault(open, now)));
    }
}
