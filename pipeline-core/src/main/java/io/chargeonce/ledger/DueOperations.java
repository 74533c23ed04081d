// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Operations of one list that are due by the database's clock, in batches, or singly where a row of a batch cannot be read. The list is
 * read first, and only its rows are looked up, however the planner estimates the tables.
 */
public final class DueOperations {

    /** The condition on a row of the list. */
    private final String listed;
    /** The condition on the operation itself, checked before and after it is locked: it may have moved on in between. */
    private final String state;
    private final List<String> otherPsps;

    private DueOperations(String listed, String state, List<String> otherPsps) {
        this.listed = listed;
        this.state = state;
        this.otherPsps = otherPsps;
    }

    /** Declined operations whose next presentation is due. */
    public static DueOperations forPresentation() {
        return new DueOperations("list = 'presentation' AND lane = '' AND due_at <= statement_timestamp()",
                "represent_at <= statement_timestamp()", List.of());
    }

    private static final String END = "statement_timestamp() - %d * interval '1 second'".formatted(PurgedLetters.KEPT.toSeconds());
    private static final String ENDED = """
            operation_state.state = 'purged' AND settled_at IS NULL AND resolve_at IS NULL
            AND EXISTS (SELECT FROM dead_letter WHERE dead_letter_id = operation_state.operation_id AND dead_letter.state = 'purged'
                           AND changed_at < %s)
            """.formatted(END);

    /** Purged operations that can no longer be restored and about which no status query is open, and whose outcome was not published. */
    public static DueOperations endedPurges() {
        return new DueOperations("list = 'purge' AND lane = '' AND due_at < " + END, ENDED, List.of());
    }

    /** Canceled operations whose outcome is not published yet. */
    public static DueOperations canceled() {
        return new DueOperations("list = 'cancel' AND lane = ''", "operation_state.state = 'canceled' AND settled_at IS NULL", List.of());
    }

    private static final String DUE_FOR_LONG = "list = 'query' AND due_at <= statement_timestamp() - interval '1 minute'";

    private static final String UNASKED = """
            resolve_at <= statement_timestamp() - interval '1 minute' AND failure_cause IS DISTINCT FROM '%s'
            AND NOT EXISTS (SELECT FROM psp_health
                             WHERE psp_health.psp = operation_state.psp AND told_at > statement_timestamp() - interval '1 minute')
            """;

    /**
     * Operations whose status query has been due for a minute, at PSPs that no running process is set up for.
     *
     * @param psps  the PSPs that this process is set up for
     * @param cause the failure cause of those that are known already
     */
    public static DueOperations unasked(List<String> psps, String cause) {
        return new DueOperations(DUE_FOR_LONG, UNASKED.formatted(cause), psps);
    }

    /**
     * More rows than a batch, because other transactions may hold some of them. OFFSET 0 makes the planner look up each row of the list.
     */
    private String due() {
        return """
                SELECT waiting.operation_id
                  FROM waiting CROSS JOIN LATERAL (SELECT * FROM operation_state AS its WHERE its.operation_id = waiting.operation_id
                                                   OFFSET 0) AS operation_state
                 WHERE %s AND lane <> ALL (?) AND %s
                 ORDER BY due_at LIMIT
                """.formatted(listed, state);
    }

    /** A batch of due operations that no other transaction holds. */
    public OperationTable.Locked lock(Connection connection, int limit) throws SQLException {
        return OperationTable.readLocked(connection, "SELECT clock_timestamp(), " + OperationTable.COLUMNS + OperationTable.BOTH
                + "WHERE operation_id = ANY (ARRAY(" + due() + " ?)) AND " + state
                + " LIMIT ? FOR UPDATE OF operation_state SKIP LOCKED", otherPsps, 2 * limit, limit);
    }

    /** The ids of due operations, without a lock, including those that cannot be read. */
    public List<String> ids(Connection connection, int limit) throws SQLException {
        return Sql.all(connection, due() + " ?", row -> row.getString(1), otherPsps, limit);
    }

    /** One of them; empty if it is not due any more, or another transaction holds it. */
    public OperationTable.Locked lockOne(Connection connection, String id) throws SQLException {
        return OperationTable.readLocked(connection, "SELECT clock_timestamp(), " + OperationTable.COLUMNS + OperationTable.BOTH
                + "WHERE operation_id = ? AND " + state + " FOR UPDATE OF operation_state SKIP LOCKED", id);
    }
}
