package io.chargeonce.ingest;

import io.chargeonce.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Removes what is no longer needed, some rows at a time: answers after a day, rows after the retention with their dead
 * letters and the runs of merges, guards when their time is over, presentations when no budget counts them any more. A key's row
 * outlives its answer, so a late repeat never charges again. What is not finished is never removed; it is counted for an alert.
 * Several processes may reap at once.
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

    /** One pass; returns how many rows it removed or looked at. Where that is none, it counts. */
    int runOnce() {
        int looked = database.inTransaction(connection -> remove(connection, REAP_ANSWERS, StoredResponse.KEPT));
        int keys = database.inTransaction(connection -> remove(connection, FORGET_PAYMENTS, retention));
        int letters = database.inTransaction(connection -> remove(connection, FORGET_RUNS, retention));
        int guards = database.inTransaction(DuplicateGuard::expire);
        int presentations = database.inTransaction(Reaper::forgetPresentations);
        int done = looked + keys + letters + guards + presentations;
        if (done == 0) {
            unfinished.set(database.withConnection(Reaper::countUnfinished));
        }
        return done;
    }

    /** As of the last pass that found nothing to do: keys whose answer would have been removed, were their payment finished. */
    long unfinished() {
        return unfinished.get();
    }

    /** By functions: the role that faces the internet changes and deletes nothing of a payment by itself. */
    private static final String REAP_ANSWERS = "SELECT reap_answers(? * interval '1 second', ?)";
    private static final String FORGET_PAYMENTS = "SELECT forget_settled_payments(? * interval '1 second', ?)";
    private static final String FORGET_RUNS = "SELECT forget_dead_letter_runs(? * interval '1 second', ?)";

    private static int remove(Connection connection, String sql, Duration kept) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            statement.setLong(1, kept.toSeconds());
            statement.setInt(2, SOME);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static final String FORGET_PRESENTATIONS = "SELECT forget_presentations(?)";

    private static int forgetPresentations(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(FORGET_PRESENTATIONS)) {
            statement.setInt(1, SOME);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static final String COUNT_UNFINISHED = """
            SELECT count(*)
              FROM idempotency_key AS old JOIN operation_state ON operation_id = resource_id
             WHERE response_body IS NOT NULL AND looked_at > old.created_at
               AND state NOT IN ('succeeded', 'declined', 'purged')
            """;

    private static long countUnfinished(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(COUNT_UNFINISHED); var row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
