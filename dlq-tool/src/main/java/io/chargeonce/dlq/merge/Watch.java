// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.HoldTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;

/**
 * The dead-letter queue and what leads to it, as seen at one moment.
 *
 * @param dead     how many there are
 * @param arrivals by cause, the busiest first; only causes of the last hour
 * @param runs     merge runs that have not ended, the newest first
 * @param tiers    0 is the main topic
 * @param holds    what people have paused or forced
 */
public record Watch(Instant at, long dead, List<Arrivals> arrivals, List<MergeRuns.Report> runs, List<Tier> tiers,
        List<Hold> holds) {

    /** How many that are in the queue now came in the last minute, ten minutes and hour. */
    public record Arrivals(String cause, long minute, long tenMinutes, long hour) {}

    /**
     * @param parked  wait for a PSP to be well
     * @param overdue could have been started, and were not yet
     * @param longest how long the longest of these
     */
    public record Tier(int number, long waiting, long parked, long overdue, Duration longest) {}

    private static final int MOST_RUNS = 5;
    private static final int LOOKED_AT = 50;

    private interface Row<T> {
        T read(ResultSet result) throws SQLException;
    }

    public static Watch now(DeadLetterQueue queue) {
        var runs = new MergeRuns(queue);
        List<MergeRuns.Report> open = runs.newest(LOOKED_AT).stream()
                .filter(run -> run.state() == RunState.PLANNED || run.state() == RunState.RUNNING).limit(MOST_RUNS)
                .flatMap(run -> runs.report(run.id()).stream()).toList();
        return queue.database().withConnection(connection -> {
            Instant at =
                    query(connection, "SELECT clock_timestamp()", row -> row.getObject(1, OffsetDateTime.class).toInstant()).getFirst();
            long dead = query(connection, DEAD, row -> row.getLong(1)).getFirst();
            return new Watch(at, dead, query(connection, ARRIVALS, Watch::arrivals), open, query(connection, TIERS, Watch::tier),
                    HoldTable.inForce(connection).holds());
        });
    }

    private static final String DEAD = "SELECT count(*) FROM dead_letter WHERE state = 'dead'";

    private static final String ARRIVALS = """
            SELECT cause, count(*) FILTER (WHERE died_at > now() - interval '1 minute'),
                   count(*) FILTER (WHERE died_at > now() - interval '10 minutes'), count(*)
              FROM dead_letter WHERE state = 'dead' AND died_at > now() - interval '1 hour'
             GROUP BY cause ORDER BY 2 DESC, 3 DESC, 4 DESC, cause
            """;

    private static Arrivals arrivals(ResultSet row) throws SQLException {
        return new Arrivals(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
    }

    /** A second is what an operation may take on its way through Kafka. What is presented again in days is in no tier. */
    private static final String TIERS = """
            SELECT tier, count(*), count(*) FILTER (WHERE state = 'parked'),
                   count(*) FILTER (WHERE not_before < now() - interval '1 second'),
                   coalesce((extract(epoch FROM now() - min(not_before) FILTER (WHERE not_before < now() - interval '1 second')) * \
            1000)::bigint, 0)
              FROM (SELECT tier, state, not_before FROM waiting JOIN operation_state USING (operation_id) WHERE list = 'work'
                     UNION ALL
                    SELECT 0, 'accepted', since FROM acceptances_from(last_look('acceptances'), 100000) WHERE since IS NOT NULL) AS waits
             GROUP BY tier ORDER BY tier
            """;

    private static Tier tier(ResultSet row) throws SQLException {
        return new Tier(row.getInt(1), row.getLong(2), row.getLong(3), row.getLong(4), Duration.ofMillis(row.getLong(5)));
    }

    private static <T> List<T> query(Connection connection, String sql, Row<T> row) throws SQLException {
        var rows = new ArrayList<T>();
        try (var statement = connection.createStatement(); var result = statement.executeQuery(sql)) {
            while (result.next()) {
                rows.add(row.read(result));
            }
        }
        return rows;
    }
}
