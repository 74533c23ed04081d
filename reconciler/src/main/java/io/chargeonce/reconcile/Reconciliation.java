// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.settlement.SettlementKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads a report, compares what was booked with what our attempts moved, and records both. A plan does the same in one transaction that is
 * rolled back, so it shows exactly what would be recorded. For one thread.
 */
public final class Reconciliation {

    /** How far back a comparison looks, unless it is told. */
    public static final Duration LOOKS_BACK = Duration.ofDays(40);
    /** Another reconciliation of the same account may hold the same lines. */
    private static final Duration FOR_ANOTHER = Duration.ofSeconds(20);

    /**
     * @param psp           the account's name, as stored with attempts
     * @param source        the report; without one, only what is recorded is compared
     * @param from          the first time that is compared
     * @param to            the last one: what the source covers, if it says so
     * @param settlesWithin how long the PSP may take to book what an attempt moved
     * @param apply         whether anything is recorded
     * @param most          how many differences are kept
     */
    public record Request(String psp, Optional<Source> source, Optional<Instant> from, Optional<Instant> to, Duration settlesWithin,
            boolean apply, int most) {}

    /**
     * @param run      identifies the comparison, if it was recorded
     * @param lines    how many lines the report has, its header not counted
     * @param recorded how many of them were new
     * @param others   lines that move no money of an attempt, by the PSP's word for them
     * @param due      how many lines charge looks at now
     */
    public record Result(Optional<UUID> run, Instant from, Instant to, long lines, long recorded, Map<String, Long> others, int due,
            Totals totals) {}

    private final Database database;
    private final SettlementKeys keys;

    public Reconciliation(Database database, SettlementKeys keys) {
        this.database = database;
        this.keys = keys;
    }

    /** @throws io.chargeonce.reconcile.report.Report.WrongFormat if the source is no such report; then nothing was recorded */
    public Result run(Request request) {
        byte[] sha256 = request.source.map(Source::sha256).orElse(null);
        var totals = new Totals(request.most);
        if (request.apply) {
            Recorder recorder = recorder(eachAlone(), request, sha256, totals);
            request.source.ifPresent(source -> source.each(recorder));
            recorder.flush();
            return alone(connection -> compare(connection, request, sha256, recorder, totals));
        }
        return alone(connection -> {
            Recorder recorder = recorder(with(connection), request, sha256, totals);
            read(request, recorder);
            Result result = compare(connection, request, sha256, recorder, totals);
            connection.rollback();
            return result;
        });
    }

    private <T> T alone(Database.Work<T> work) {
        return database.inTransaction(connection -> {
            Database.waitForLocks(connection, FOR_ANOTHER);
            return work.with(connection);
        });
    }

    private Recorder.Transactions eachAlone() {
        return new Recorder.Transactions() {
            @Override
            public <T> T run(Database.Work<T> work) {
                return alone(work);
            }
        };
    }

    private static Recorder.Transactions with(Connection connection) {
        return new Recorder.Transactions() {
            @Override
            public <T> T run(Database.Work<T> work) {
                try {
                    return work.with(connection);
                } catch (SQLException e) {
                    throw new Broken(e);
                }
            }
        };
    }

    /** Carries an error of the database through the reader of a report. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final SQLException its;

        Broken(SQLException its) {
            super(its);
            this.its = its;
        }
    }

    private Recorder recorder(Recorder.Transactions transactions, Request request, byte[] sha256, Totals totals) {
        return new Recorder(transactions, request.psp, sha256, request.source.map(Source::hasIds).orElse(true),
                request.source.filter(Source.OfFile.class::isInstance).isPresent(), keys, totals);
    }

    private static void read(Request request, Recorder recorder) throws SQLException {
        try {
            request.source.ifPresent(source -> source.each(recorder));
            recorder.flush();
        } catch (Broken broken) {
            throw broken.its;
        }
    }

    private Result compare(Connection connection, Request request, byte[] sha256, Recorder recorder, Totals totals) throws SQLException {
        Comparison.Window window = window(connection, request);
        var comparison = new Comparison(connection, request.psp, window);
        int due = comparison.run(request.settlesWithin, totals);
        comparison.checkMarks(keys, totals);
        Optional<UUID> run = request.apply ? Optional.of(UUID.randomUUID()) : Optional.empty();
        if (run.isPresent()) {
            record(connection, run.get(), request.psp, window, recorder.lines(), sha256, totals.sums());
        }
        return new Result(run, window.from(), window.to(), recorder.lines(), recorder.recorded(), recorder.others(), due, totals);
    }

    private static final String COMPARED_TO = "SELECT max(covers_to) FROM reconciliation WHERE psp = ? AND source_sha256 IS NOT NULL";

    /** To which time an account's reports were read whole and compared. One that was interrupted does not count. */
    public Optional<Instant> comparedTo(String psp) {
        return database.withConnection(
                connection -> Optional.ofNullable(Sql.one(connection, COMPARED_TO, row -> Sql.instant(row, 1), psp)));
    }

    /** Without a line there is no time to compare, unless the caller names it. */
    private static Comparison.Window window(Connection connection, Request request) throws SQLException {
        Optional<Comparison.Window> booked = Comparison.booked(connection, request.psp);
        Instant to = request.to.or(() -> booked.map(Comparison.Window::to)).orElseThrow(() -> new NothingBooked(request.psp));
        Instant from = request.from.orElseGet(() -> booked.map(Comparison.Window::from).filter(first -> first.isAfter(to.minus(LOOKS_BACK)))
                .orElse(to.minus(LOOKS_BACK)));
        return new Comparison.Window(from, to);
    }

    /** No line of this account is recorded. */
    public static final class NothingBooked extends RuntimeException {
        private static final long serialVersionUID = 1;

        NothingBooked(String psp) {
            super("no line of a settlement report of %s is recorded, and this report has none: name the time with --from and --to"
                    .formatted(psp));
        }
    }

    /** A report of a file is about attempts of another account, and about none of this one. */
    public static final class OtherAccount extends RuntimeException {
        private static final long serialVersionUID = 1;

        OtherAccount(String psp, List<String> others) {
            super("this report is about attempts at %s, and about none at %s: nothing is recorded; which account is it of?".formatted(
                    String.join(", ", others), psp));
        }
    }

    private static final String RECORD = "SELECT record_reconciliation(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private static void record(Connection connection, UUID run, String psp, Comparison.Window window, long lines, byte[] sha256,
                               List<Totals.Sum> sums)
            throws SQLException {
        Sql.call(connection, RECORD, run, psp, window.from(), window.to(), lines, sha256, Columns.of(sums)
                .with("text", sum -> sum.finding().tag())
                .with("text", Totals.Sum::currency)
                .with("bigint", Totals.Sum::items)
                .with("numeric", Totals.Sum::expected)
                .with("numeric", Totals.Sum::booked));
    }
}
