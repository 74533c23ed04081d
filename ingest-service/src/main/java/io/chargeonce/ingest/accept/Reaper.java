// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes, some rows at a time: payments after the retention with their keys, dead letters and the runs of merges, expired guards,
 * presentations that no budget counts any more, and names and accounts in files of banks and in mandates. A payment that is not finished
 * is never deleted but counted for an alert. For one thread; several processes may each run one.
 */
public final class Reaper {

    private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);
    /** After it the walk begins again, and meets the payments that have settled since. */
    private static final Duration ROUND = Duration.ofHours(12);
    private static final Duration COUNTED_EVERY = Duration.ofMinutes(1);
    private static final Duration SAID_EVERY = Duration.ofMinutes(1);
    private static final Duration IDLE = Duration.ofMinutes(1);
    private static final int SOME = 1000;
    /** Payments of one statement: it looks at each in a dozen tables, and has to end within seconds also where Postgres is busy. */
    private static final int AT_ONCE = 200;

    private final Database database;
    private final Counter forgotten;
    private final AtomicLong unfinished = new AtomicLong();
    private OffsetDateTime reached = OffsetDateTime.MIN;
    private long roundEnds = System.nanoTime();
    private long countAt = System.nanoTime();
    private long idleUntil = System.nanoTime();
    private long sayAt = System.nanoTime();
    private int unsaid;

    public Reaper(Database database, MeterRegistry meters) {
        this.database = database;
        this.forgotten = Counter.builder("chargeonce.ingest.payments.forgotten")
                .description("Payments that were deleted with their keys after the agreed retention").register(meters);
    }

    /**
     * For a worker that calls it once a second. While there is work, it does one pass at each call, so a retention that was shortened by
     * mistake deletes at most 1,000 payments a second in each process, and there is time to stop it. Otherwise it does one a minute.
     *
     * @return 0, because the next pass is never urgent
     */
    public int runSlowly() {
        if (System.nanoTime() - idleUntil >= 0 && runOnce() == 0) {
            idleUntil = System.nanoTime() + IDLE.toNanos();
        }
        return 0;
    }

    private static final String COUNT_UNFINISHED = "SELECT count_unfinished(interval '1 day')";

    /** One pass; returns how many rows it removed or looked at. */
    public int runOnce() {
        if (System.nanoTime() - roundEnds >= 0) {
            beginAgain();
        }
        int keys = 0;
        int walked;
        do {
            walked = database.inTransaction(this::forgetPayments);
            keys += walked;
        } while (walked >= AT_ONCE && keys < SOME);
        int letters = database.inTransaction(connection -> forget(connection, FORGET_RUNS));
        int guards = database.inTransaction(DuplicateGuard::expire);
        int presentations = database.inTransaction(connection -> forget(connection, FORGET_PRESENTATIONS));
        int files = database.inTransaction(connection -> forget(connection, FORGET_BANK_FILES));
        int done = keys + letters + guards + presentations + files;
        if (System.nanoTime() - countAt >= 0) {
            unfinished.set(database.withConnection(connection -> Sql.one(connection, COUNT_UNFINISHED, row -> row.getLong(1))));
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
    private static final String FORGET_PAYMENTS = "SELECT walked, reached, forgotten FROM forget_settled_payments(?, ?)";

    private int forgetPayments(Connection connection) throws SQLException {
        return Sql.one(connection, FORGET_PAYMENTS, row -> {
            reached = row.getObject(2, OffsetDateTime.class);
            forgot(row.getInt(3));
            return row.getInt(1);
        }, AT_ONCE, reached);
    }

    /** A line a minute at most: with steady traffic each pass forgets some. */
    private void forgot(int payments) {
        forgotten.increment(payments);
        unsaid += payments;
        if (unsaid > 0 && System.nanoTime() - sayAt >= 0) {
            LOG.info("Forgot {} payments and their keys, because nothing has happened to them for the agreed retention", unsaid);
            unsaid = 0;
            sayAt = System.nanoTime() + SAID_EVERY.toNanos();
        }
    }

    private static final String FORGET_RUNS = "SELECT forget_dead_letter_runs(?)";
    private static final String FORGET_BANK_FILES = "SELECT forget_bank_files(?)";
    private static final String FORGET_PRESENTATIONS = "SELECT forget_presentations(?)";

    private static int forget(Connection connection, String sql) throws SQLException {
        return Sql.one(connection, sql, row -> row.getInt(1), SOME);
    }
}
