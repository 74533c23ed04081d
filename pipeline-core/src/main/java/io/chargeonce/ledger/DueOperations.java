package io.chargeonce.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Operations of one kind that the database's clock has made due, in batches, or one alone where one in a batch cannot be read. */
public final class DueOperations {

    /** Sets the parameters of its condition. */
    private interface Parameters {

        /** Returns how many there are. */
        int set(PreparedStatement statement) throws SQLException;
    }

    private final String condition;
    private final Parameters parameters;

    private DueOperations(String condition, Parameters parameters) {
        this.condition = condition;
        this.parameters = parameters;
    }

    private static final String FOR_PRESENTATION = "represent_at <= statement_timestamp()";

    /** Declined operations whose next presentation is due. */
    public static DueOperations forPresentation() {
        return new DueOperations(FOR_PRESENTATION, statement -> 0);
    }

    private static final String ENDED_PURGES = """
            state = 'purged' AND settled_at IS NULL
            AND EXISTS (SELECT FROM dead_letter WHERE dead_letter_id = operation_state.operation_id AND dead_letter.state = 'purged'
                           AND changed_at < statement_timestamp() - ? * interval '1 second')
            """;

    /** Purged operations that can be restored no more, and whose outcome has not been told. */
    public static DueOperations endedPurges() {
        return new DueOperations(ENDED_PURGES, statement -> {
            statement.setLong(1, PurgedLetters.KEPT.toSeconds());
            return 1;
        });
    }

    private static final String UNASKED = """
            resolve_at <= statement_timestamp() - interval '1 minute' AND psp <> ALL (?)
            AND failure_cause IS DISTINCT FROM ?
            AND NOT EXISTS (SELECT FROM psp_health
                             WHERE psp_health.psp = operation_state.psp AND told_at > statement_timestamp() - interval '1 minute')
            """;

    /**
     * Operations whose question has been due for a minute, at PSPs that neither this process nor any other running one is set up for.
     *
     * @param psps  that this process is set up for
     * @param cause of those that are known already
     */
    public static DueOperations unasked(List<String> psps, String cause) {
        return new DueOperations(UNASKED, statement -> {
            statement.setArray(1, statement.getConnection().createArrayOf("text", psps.toArray()));
            statement.setString(2, cause);
            return 2;
        });
    }

    /** A batch of them that no other transaction holds. */
    public OperationTable.Locked lock(Connection connection, int limit) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT clock_timestamp(), " + OperationTable.COLUMNS
                + OperationTable.BOTH + "WHERE " + condition + " LIMIT ? FOR UPDATE OF operation_state SKIP LOCKED")) {
            statement.setInt(parameters.set(statement) + 1, limit);
            return OperationTable.readLocked(statement.executeQuery());
        }
    }

    /** The ids of the same, without a lock; of those too that cannot be read. */
    public List<String> ids(Connection connection, int limit) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT operation_id FROM operation_state WHERE " + condition + " LIMIT ?")) {
            statement.setInt(parameters.set(statement) + 1, limit);
            var ids = new ArrayList<String>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getString(1));
                }
            }
            return ids;
        }
    }

    /** One of them; nothing if it is not due any more, or another transaction holds it. */
    public OperationTable.Locked lockOne(Connection connection, String id) throws SQLException {
        try (var statement = connection.prepareStatement("SELECT clock_timestamp(), " + OperationTable.COLUMNS
                + OperationTable.BOTH + "WHERE " + condition + " AND operation_id = ? FOR UPDATE OF operation_state SKIP LOCKED")) {
            statement.setString(parameters.set(statement) + 1, id);
            return OperationTable.readLocked(statement.executeQuery());
        }
    }
}
