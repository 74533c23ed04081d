package io.chargeonce.dlq;

import java.sql.Connection;
import java.sql.SQLException;

/** Watches what becomes of the payments that a run has sent back, and keeps it: a later merge does not change it. */
final class RunOutcomes {

    /** @param last the position up to which was looked; 0 if that was the end, so that the next look begins anew */
    record Heard(Outcomes change, int last) {}

    private static final int LOOK = 5_000;

    private RunOutcomes() {}

    private static final String OBSERVE = """
            WITH looked AS (
                SELECT position, dead_letter_id, generation + (fate = 'reentered')::int AS expected, fate, outcome
                  FROM dlq_run_item
                 WHERE run_id = ? AND position > ? AND fate IN ('reentered', 'asked') AND (outcome IS NULL OR outcome = 'unresolved')
                 ORDER BY position LIMIT ?
            ), seen AS (
                SELECT position, looked.outcome AS before,
                       CASE WHEN operation.generation > expected THEN 'failed_again'
                            WHEN operation.state IN ('succeeded', 'declined') THEN operation.state
                            WHEN operation.state IN ('dead', 'purged') THEN 'failed_again'
                            WHEN fate = 'reentered' AND letter.state = 'dead' THEN 'unresolved' END AS outcome
                  FROM looked
                  JOIN operation ON operation_id = dead_letter_id
                  JOIN dead_letter AS letter USING (dead_letter_id)
            ), kept AS (
                UPDATE dlq_run_item AS item SET outcome = seen.outcome
                  FROM seen
                 WHERE item.run_id = ? AND item.position = seen.position
                   AND seen.outcome IS NOT NULL AND seen.outcome IS DISTINCT FROM seen.before
                RETURNING item.fate, seen.before, seen.outcome
            )
            SELECT (SELECT CASE WHEN count(*) < ? THEN 0 ELSE max(position) END FROM looked),
                   count(*) FILTER (WHERE outcome = 'succeeded'), count(*) FILTER (WHERE outcome = 'declined'),
                   count(*) FILTER (WHERE outcome = 'failed_again'),
                   count(*) FILTER (WHERE outcome = 'unresolved') - count(*) FILTER (WHERE before = 'unresolved')
              FROM kept WHERE fate = 'reentered'
            """;

    /** Looks at some of those that are still on their way. */
    static Heard observe(Connection connection, String run, int after) throws SQLException {
        try (var statement = connection.prepareStatement(OBSERVE)) {
            statement.setString(1, run);
            statement.setInt(2, after);
            statement.setInt(3, LOOK);
            statement.setString(4, run);
            statement.setInt(5, LOOK);
            try (var result = statement.executeQuery()) {
                result.next();
                return new Heard(new Outcomes(0, result.getLong(2), result.getLong(3), result.getLong(4), result.getLong(5)),
                        result.getInt(1));
            }
        }
    }

    private static final String COUNT = """
            SELECT count(*), count(*) FILTER (WHERE outcome = 'succeeded'), count(*) FILTER (WHERE outcome = 'declined'),
                   count(*) FILTER (WHERE outcome = 'failed_again'), count(*) FILTER (WHERE outcome = 'unresolved')
              FROM dlq_run_item WHERE run_id = ? AND position > ? AND fate = 'reentered'
            """;

    /** What is known so far of those that re-entered. */
    static Outcomes count(Connection connection, String run, int after) throws SQLException {
        try (var statement = connection.prepareStatement(COUNT)) {
            statement.setString(1, run);
            statement.setInt(2, after);
            try (var result = statement.executeQuery()) {
                result.next();
                return new Outcomes(result.getLong(1), result.getLong(2), result.getLong(3), result.getLong(4), result.getLong(5));
            }
        }
    }
}
