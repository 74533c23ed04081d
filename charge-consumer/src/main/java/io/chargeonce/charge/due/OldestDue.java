// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.SeriesGauge;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Measures how long the oldest work of each topic has been due. It reads Postgres instead of a consumer's state, so that a topic that no
 * process consumes is noticed. New payments count once the sweeper has listed them, after {@code CHARGEONCE_SWEEP_AFTER}. Every charge
 * consumer reports the same numbers, so use their maximum and not their sum. For one thread.
 */
public final class OldestDue {

    private final Database database;
    private final Topics topics;
    private final SeriesGauge seconds;

    public OldestDue(Database database, Topics topics, MeterRegistry meters) {
        this.database = database;
        this.topics = topics;
        this.seconds = new SeriesGauge("chargeonce.work.due.seconds", "How long the oldest work of a topic has been due", meters);
    }

    /** Measures once. Always returns 0: the next measurement is not urgent. */
    public int runOnce() {
        seconds.set(database.withConnection(this::read));
        return 0;
    }

    /** What waits because a person has paused its tier is not late. */
    private static final String READ = """
            SELECT tier, coalesce((SELECT extract(epoch FROM clock_timestamp() - due_at)
                                     FROM waiting
                                    WHERE list = 'work' AND lane = tier::text AND due_at < statement_timestamp()
                                      AND NOT EXISTS (SELECT FROM hold
                                                       WHERE kind = 'tier' AND name = tier::text
                                                         AND (until IS NULL OR until > clock_timestamp()))
                                    ORDER BY due_at LIMIT 1), 0)
              FROM generate_series(0, ?) AS tier
            """;

    private Map<Tags, Double> read(Connection connection) throws SQLException {
        return Sql.all(connection, READ, row -> Map.entry(Tags.of("topic", topics.ofTier(row.getInt(1))), row.getDouble(2)),
                Topics.MOST_TIERS).stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
