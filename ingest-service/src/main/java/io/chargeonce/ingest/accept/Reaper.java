// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Deletes, some rows at a time: payments after the retention with their keys, dead letters and the runs of merges, expired guards,
 * presentations that no budget counts any more, and names and accounts in files of banks and in mandates. A payment that is not finished
 * is never deleted but counted for an alert. For one thread; several processes may each run one.
 */
public final class Reaper {

    /** After it the walk begins again, and meets the payments that have settled since. */
    private static final Duration ROUND = Duration.ofHours(12);
    private static final Duration COUNTED_EVERY = Duration.ofMinutes(1);
    private static final int SOME = 1000;

    private final Database database;
    private final Duration retention;
    private final AtomicLong unfinished = new AtomicLong();
    private OffsetDateTime reached = OffsetDateTime.MIN;
    private long roundEnds = System.nanoTime();
    private long countAt = System.nanoTime();

    /** @param retention how long a key stays taken after its payment was accepted */
    public Reaper(Database database, Duration retention) {
        this.database = database;
        this.retention = retention;
    }

    /** One pass; returns how many rows it removed or looked at. */
    public int runOnce() {
        if (System.nanoTime() - roundEnds >= 0) {
            beginAgain();
        }
        int keys = database.inTransaction(this::forgetPayments);
        int letters = database.inTransaction(this::forgetRuns);
        int guards = database.inTransaction(DuplicateGuard::expire);
        int presentations = database.inTransaction(Reaper::forgetPresentations);
        int files = database.inTransaction(this::forgetBankFiles);
        int done = keys + letters + guards + presentations + files;
        if (System.nanoTime() - countAt >= 0) {
            unfinished.set(database.withConnection(Reaper::countUnfinished));
            countAt = System.nanoTime() + COUNTED_EVERY.toNanos();
        }
        return done;
    }

    /** The walk begins at the oldest key again. */
    void beginAgain() {
        reached = OffsetDateTime.MIN;
        roundEnds = System.nanoTime() + ROUND.toNanos();
        countAt = System.nanoTime();
    }

    /** As of the last count, once a minute: operations that are not finished after a day. */
    public long unfinished() {
        return unfinished.get();
    }

    /** By functions: the role that faces the internet changes and deletes nothing of a payment by itself. */
    private static final String FORGET_PAYMENTS = "SELECT walked, reached FROM forget_settled_payments(? * interval '1 second', ?, ?)";

    private int forgetPayments(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(FORGET_PAYMENTS)) {
            statement.setLong(1, retention.toSeconds());
            statement.setInt(2, SOME);
            statement.setObject(3, reached);
            try (var row = statement.executeQuery()) {
                row.next();
                reached = row.getObject(2, OffsetDateTime.class);
                return row.getInt(1);
            }
        }
    }

    private static final String FORGET_RUNS = "SELECT forget_dead_letter_runs(? * interval '1 second', ?)";

    private int forgetRuns(Connection connection) throws SQLException {
        return forget(connection, FORGET_RUNS);
    }

    private static final String FORGET_BANK_FILES = "SELECT forget_bank_files(? * interval '1 second', ?)";

    private int forgetBankFiles(Connection connection) throws SQLException {
        return forget(connection, FORGET_BANK_FILES);
    }

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

    private static final String COUNT_UNFINISHED = "SELECT count_unfinished(interval '1 day')";

    private static long countUnfinished(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(COUNT_UNFINISHED); var row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }
}
