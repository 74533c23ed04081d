// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.move.MoveResult;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Watches what becomes of the payments that a run has sent back, and keeps it: a later merge does not change it. */
final class RunOutcomes {

    /**
     * @param change of those that re-entered
     * @param asked  of those about which the PSP was asked
     * @param last   the position up to which was looked; 0 if that was the end, so that the next look begins at the first item
     */
    record Heard(Outcomes change, Outcomes asked, int last) {

        private static Heard of(ResultSet row) throws SQLException {
            Sum sum = Sum.ofRow(row.getString(5), row.getLong(6), row.getLong(7));
            Outcomes more = Outcomes.ofRow(row.getString(4), sum).minus(Outcomes.ofRow(row.getString(3), sum));
            boolean asked = MoveResult.ASKED.tag().equals(row.getString(2));
            return new Heard(asked ? Outcomes.NONE : more, asked ? more : Outcomes.NONE, row.getInt(1));
        }
    }

    private static final int LOOK = 5_000;

    private RunOutcomes() {}

    private static final String SEEN = """
            WITH looked AS (
                SELECT run_id, position, dead_letter_id, generation + (fate = 'reentered')::int AS expected, fate, outcome,
                       currency, amount
                  FROM dlq_run_item
                 WHERE run_id = ? AND position > ? AND fate IN ('reentered', 'asked') AND (outcome IS NULL OR outcome = 'unresolved')
                 ORDER BY position LIMIT ?
            ), seen AS (
                SELECT run_id, position, fate, looked.outcome AS before, looked.currency, looked.amount,
                       CASE WHEN operation.generation > expected THEN 'failed_again'
                            WHEN operation.state IN ('succeeded', 'declined') THEN operation.state
                            -- An answer as a decline is, and no failure.
                            WHEN operation.state = 'canceled' THEN 'declined'
                            -- It had succeeded.
                            WHEN operation.state = 'failed' THEN 'succeeded'
                            WHEN operation.state IN ('dead', 'purged') THEN 'failed_again'
                            WHEN fate = 'reentered' AND letter.state = 'dead' THEN 'unresolved' END AS outcome
                  FROM looked
                  JOIN operation_state AS operation ON operation_id = dead_letter_id
                  JOIN dead_letter AS letter USING (dead_letter_id)
            ), news AS (SELECT * FROM seen WHERE outcome IS NOT NULL AND outcome IS DISTINCT FROM before
            ), heard AS (
            """;

    private static final String KEEP = """
                UPDATE dlq_run_item AS item SET outcome = news.outcome
                  FROM news WHERE item.run_id = news.run_id AND item.position = news.position
                RETURNING item.fate, news.before, news.outcome, item.currency, item.amount
            """;

    private static final String ONLY_LOOK = "SELECT * FROM news\n";

    private static final String TOLD = """
            )
            SELECT last, fate, before, outcome, currency, count(outcome), coalesce(sum(amount), 0)
              FROM (SELECT CASE WHEN count(*) < ? THEN 0 ELSE max(position) END AS last FROM looked) AS ends LEFT JOIN heard ON true
             GROUP BY last, fate, before, outcome, currency
            """;

    /** Looks at some of those that are still on their way, and keeps what became of them. */
    static Heard observe(Connection connection, String run, int after) throws SQLException {
        return hear(connection, SEEN + KEEP + TOLD, run, after);
    }

    /** The same for who may only read: the next look sees it as news again. */
    static Heard glance(Connection connection, String run, int after) throws SQLException {
        return hear(connection, SEEN + ONLY_LOOK + TOLD, run, after);
    }

    private static Heard hear(Connection connection, String sql, String run, int after) throws SQLException {
        return Sql.all(connection, sql, Heard::of, run, after, LOOK, LOOK).stream().reduce(new Heard(Outcomes.NONE, Outcomes.NONE, 0),
                (heard, more) -> new Heard(heard.change.plus(more.change), heard.asked.plus(more.asked), more.last));
    }

    private static final String HELD_BY = """
            SELECT concat_ws(' ', hold.kind, hold.name, 'is paused by', held_by)
              FROM dlq_run_item AS item JOIN operation_state AS its ON its.operation_id = dead_letter_id
              JOIN operation ON operation.operation_id = dead_letter_id
              JOIN hold ON action = 'pause' AND (until IS NULL OR until > clock_timestamp())
                       AND CASE hold.kind WHEN 'merchant' THEN merchant_id = name WHEN 'tier' THEN tier::text = name
                                          ELSE its.state = 'parked' AND name = ANY (psps_awaited(its)) END
             WHERE run_id = ? AND fate = 'reentered' AND outcome IS NULL AND its.state IN ('scheduled', 'parked')
             ORDER BY 1 LIMIT 1
            """;

    /** The pause that one of those that are on their way waits for, and who paused. */
    static Optional<String> heldBy(Connection connection, String run) throws SQLException {
        return Sql.first(connection, HELD_BY, row -> row.getString(1), run);
    }

    private static final String MAY_KEEP = "SELECT has_column_privilege('dlq_run_item', 'outcome', 'UPDATE')";

    static boolean mayKeep(Connection connection) throws SQLException {
        return Sql.one(connection, MAY_KEEP, row -> row.getBoolean(1));
    }

    private static final String COUNT = """
            SELECT outcome, currency, count(*), sum(amount)
              FROM dlq_run_item WHERE run_id = ? AND position > ? AND fate = 'reentered' GROUP BY outcome, currency
            """;

    /** What is known so far of those that re-entered. */
    static Outcomes count(Connection connection, String run, int after) throws SQLException {
        return Sql.all(connection, COUNT,
                row -> Outcomes.ofRow(row.getString(1), Sum.ofRow(row.getString(2), row.getLong(3), row.getLong(4))), run, after).stream()
                .reduce(Outcomes.NONE, Outcomes::plus);
    }
}
