// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.HoldTable;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/**
 * The dead-letter queue and what leads to it, as seen at one moment.
 *
 * @param dead     how many there are, with how much money
 * @param arrivals by cause, the busiest first; only causes of the last hour
 * @param runs     those that can still move something, the newest first
 * @param tiers    0 is the main topic
 * @param holds    what people have paused or forced
 */
public record Watch(Instant at, Sum dead, List<Arrivals> arrivals, List<DlqRuns.Report> runs, List<Tier> tiers,
        List<Hold> holds) {

    /**
     * How many came into the queue in the last minute, ten minutes and hour, whatever became of them. What got another cause while it was
     * in the queue came with that one too.
     */
    public record Arrivals(String cause, long minute, long tenMinutes, long hour) {}

    /**
     * @param parked  wait for a PSP to be well
     * @param overdue could have been started, and were not yet
     * @param longest how long the longest of these
     */
    public record Tier(int number, Sum waiting, long parked, long overdue, Duration longest) {}

    private static final int MOST_RUNS = 5;
    private static final int LOOKED_AT = 50;

    public static Watch now(DeadLetterQueue queue) {
        var runs = new DlqRuns(queue);
        List<DlqRuns.Report> open = runs.newest(LOOKED_AT).stream()
                .filter(run -> !run.state().isEnd()).flatMap(run -> runs.report(run.id()).stream()).filter(Watch::hasMoreToMove)
                .limit(MOST_RUNS).toList();
        return queue.database().withConnection(connection -> {
            Instant at = Database.now(connection);
            Sum dead = Sql.all(connection, DEAD, row -> Sum.ofRow(row.getString(1), row.getLong(2), row.getLong(3))).stream()
                    .reduce(Sum.NOTHING, Sum::plus);
            return new Watch(at, dead, Sql.all(connection, ARRIVALS, Watch::arrivals), open,
                    together(Sql.all(connection, TIERS, Watch::tier)), HoldTable.inForce(connection).holds());
        });
    }

    /** A run that aborted may have sent everything by then. */
    private static boolean hasMoreToMove(DlqRuns.Report report) {
        return report.run().state() != RunState.ABORTED || report.results().total().count() < report.run().items();
    }

    private static final String DEAD = """
            SELECT currency, count(*), coalesce(sum(amount), 0) FROM dead_letter WHERE state = 'dead' GROUP BY currency
            """;

    private static final String ARRIVALS = """
            SELECT audit_detail(data, 'why') AS cause, count(*) FILTER (WHERE at > now() - interval '1 minute'),
                   count(*) FILTER (WHERE at > now() - interval '10 minutes'), count(*)
              FROM audit_record WHERE action = 'dead_letter.entered' AND at > now() - interval '1 hour'
             GROUP BY cause ORDER BY 2 DESC, 3 DESC, 4 DESC, cause
            """;

    private static Arrivals arrivals(ResultSet row) throws SQLException {
        return new Arrivals(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
    }

    /** A second is what an operation may take on its way through Kafka. What is presented again in days is in no tier. */
    private static final String TIERS = """
            SELECT tier, currency, count(*), sum(amount), count(*) FILTER (WHERE state = 'parked'),
                   count(*) FILTER (WHERE not_before < now() - interval '1 second'),
                   coalesce((extract(epoch FROM now() - min(not_before) FILTER (WHERE not_before < now() - interval '1 second')) * \
            1000)::bigint, 0)
              FROM (SELECT tier, state, not_before, operation_id FROM waiting JOIN operation_state USING (operation_id) WHERE list = 'work'
                     UNION ALL
                    SELECT 0, 'accepted', since, operation_id FROM acceptances_from(last_look('acceptances'), 100000)
                     WHERE since IS NOT NULL) AS waits
              JOIN operation USING (operation_id)
             GROUP BY tier, currency ORDER BY tier
            """;

    private static Tier tier(ResultSet row) throws SQLException {
        return new Tier(row.getInt(1), Sum.ofRow(row.getString(2), row.getLong(3), row.getLong(4)), row.getLong(5), row.getLong(6),
                Duration.ofMillis(row.getLong(7)));
    }

    private static List<Tier> together(List<Tier> byCurrency) {
        var tiers = new TreeMap<Integer, Tier>();
        byCurrency.forEach(one -> tiers.merge(one.number, one, (tier, more) -> new Tier(tier.number, tier.waiting.plus(more.waiting),
                tier.parked + more.parked, tier.overdue + more.overdue,
                tier.longest.compareTo(more.longest) > 0 ? tier.longest : more.longest)));
        return List.copyOf(tiers.values());
    }
}
