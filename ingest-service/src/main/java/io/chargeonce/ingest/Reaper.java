package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Removes what is no longer needed, some rows at a time: answers after a day, rows after the retention with their dead
 * letters and the runs of merges, guards when their time is over. A key's row outlives its answer, so a late repeat never charges again. What is not finished is never
 * removed; it is counted for an alert. Several processes may reap at once.
 */
final class Reaper {

    private static final int SOME = 1000;

    private final Database database;
    private final Duration retention;
    private final AtomicLong unfinished = new AtomicLong();

    /** @param retention how long a key stays taken after its payment was accepted */
    Reaper(Database database, Duration retention) {
        this.database = database;
        this.retention = retention;
    }

    /** One pass; returns how many rows it removed something of. */
    int runOnce() {
        int answers = database.inTransaction(Reaper::reapAnswers);
        int keys = database.inTransaction(connection -> forget(connection, FORGET_PAYMENTS));
        int letters = database.inTransaction(connection -> forget(connection, FORGET_RUNS));
        int guards = database.inTransaction(DuplicateGuard::expire);
        unfinished.set(database.withConnection(Reaper::countUnfinished));
        return answers + keys + letters + guards;
    }

    /** As of the last pass: keys whose answer would have been removed, were their payment finished. */
    long unfinished() {
        return unfinished.get();
    }

    private static final String REAP_ANSWERS = """
            UPDATE idempotency_key AS reaped
               SET response_headers = NULL, response_body = NULL
              FROM (SELECT old.merchant_id, old.idempotency_key
                      FROM idempotency_key AS old JOIN operation_state ON operation_id = resource_id
                     WHERE response_body IS NOT NULL AND old.created_at < now() - ? * interval '1 second'
                       AND state IN ('succeeded', 'declined', 'purged')
                     ORDER BY old.created_at
                     LIMIT ?
                       FOR UPDATE OF old SKIP LOCKED) AS due
             WHERE reaped.merchant_id = due.merchant_id AND reaped.idempotency_key = due.idempotency_key
            """;

    private static int reapAnswers(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(REAP_ANSWERS)) {
            statement.setLong(1, StoredResponse.KEPT.toSeconds());
            statement.setInt(2, SOME);
            return statement.executeUpdate();
        }
    }

    private static final String FORGET_PAYMENTS = "SELECT forget_settled_payments(? * interval '1 second', ?)";
    private static final String FORGET_RUNS = "SELECT forget_dead_letter_runs(? * interval '1 second', ?)";

    private int forget(Connection connection, String sql) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            statement.setLong(1, retention.toSeconds());
            statement.setInt(2, SOME);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static final String COUNT_UNFINISHED = """
            SELECT count(*)
              FROM idempotency_key AS old JOIN operation_state ON operation_id = resource_id
             WHERE response_body IS NOT NULL AND old.created_at < now() - ? * interval '1 second'
               AND state NOT IN ('succeeded', 'declined', 'purged')
            """;

    private static long countUnfinished(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(COUNT_UNFINISHED)) {
            statement.setLong(1, StoredResponse.KEPT.toSeconds());
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
