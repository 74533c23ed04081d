// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.Rail;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.settlement.SettlementLines;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares the recorded lines of one account with its attempts, in the caller's transaction. Rows are read through a cursor, so that its
 * memory does not grow with them.
 */
final class Comparison {

    /** Which time is compared. */
    record Window(Instant from, Instant to) {}

    /** Where our rows may not say that the money moved; the database looks again at each. */
    private static final Set<Finding> NEWS = EnumSet.of(Finding.RESOLVES, Finding.CONTRADICTS, Finding.DUPLICATE);
    private static final int AT_ONCE = 1000;
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Connection connection;
    private final String psp;
    private final Window window;

    Comparison(Connection connection, String psp, Window window) {
        this.connection = connection;
        this.psp = psp;
        this.window = window;
    }

    private static final String BOOKED_BETWEEN = """
            SELECT min(booked_at), max(booked_at) FROM settlement_line WHERE psp = ? AND booked_at <= now() + interval '1 day'
            """;

    /** From the first to the last line that is recorded for this account; empty without any. A line from the future moves no window. */
    static Optional<Window> booked(Connection connection, String psp) throws SQLException {
        return Sql.one(connection, BOOKED_BETWEEN, row -> Sql.instant(row, 1) == null ? Optional.empty()
                : Optional.of(new Window(Sql.instant(row, 1), Sql.instant(row, 2))), psp);
    }

    private static final String COMPARE = """
            WITH touched AS (
                SELECT DISTINCT psp_key FROM settlement_line WHERE psp = ? AND booked_at >= ? AND booked_at <= ? AND psp_key IS NOT NULL
            ), booked AS (
                SELECT line.psp_key, line.currency, line.moved IN ('given_back', 'give_back_returned') AS gives_back,
                       sum(CASE WHEN line.moved IN ('captured', 'given_back') THEN line.amount ELSE -line.amount END) AS amount,
                       count(*) FILTER (WHERE line.moved IN ('captured', 'given_back')) AS times, min(line.line_id) AS line_id
                  FROM settlement_line AS line JOIN touched USING (psp_key)
                 WHERE line.psp = ? AND line.line_id <> ALL (?)
                   -- A bank may tell of one booking twice, and give its reference once.
                   AND NOT (? AND line.psp_reference IS NULL AND EXISTS (
                       SELECT FROM settlement_line AS named
                        WHERE named.psp_key = line.psp_key AND named.psp_reference IS NOT NULL AND named.line_id <> ALL (?)
                          AND (named.psp, named.moved, named.amount, named.currency, named.booked_at)
                              = (line.psp, line.moved, line.amount, line.currency, line.booked_at)))
                 GROUP BY line.psp_key, line.currency, gives_back
            )
            SELECT CASE WHEN operation.operation_id IS NULL OR gives_back = (operation.kind = 'charge') THEN 'strange'
                        WHEN booked.currency <> operation.currency THEN 'currency'
                        WHEN booked.amount > moved.amount AND times > 1 THEN 'duplicate'
                        -- No statement of the return's day is recorded yet.
                        WHEN booked.amount > moved.amount AND booked.amount <= operation.amount AND EXISTS (
                            SELECT FROM bank_line AS said WHERE said.psp_key = booked.psp_key AND said.bank = attempt.psp
                               AND said.kind = 'returned' AND said.state = 'taken') THEN 'not_yet'
                        WHEN booked.amount > moved.amount THEN 'over'
                        WHEN booked.amount = 0 AND attempt.state = 'failed_definite' THEN 'agrees'
                        -- A bank took back what we would have reversed, and our reversal of it never went out.
                        WHEN booked.amount = 0 AND attempt.state = 'succeeded' AND EXISTS (
                            SELECT FROM operation AS back WHERE back.operation_id = 'attempt-' || booked.psp_key || '-reversal')
                             AND NOT EXISTS (
                            SELECT FROM payment_attempt AS its WHERE its.operation_id = 'attempt-' || booked.psp_key || '-reversal'
                               AND NOT its.failed_definite) THEN 'agrees'
                        WHEN booked.amount < moved.amount THEN 'under'
                        WHEN attempt.state = 'succeeded' THEN 'agrees'
                        WHEN attempt.state = 'failed_definite' OR times > 1 THEN 'contradicts'
                        ELSE 'resolves' END AS finding,
                   booked.psp_key, operation.operation_id, booked.currency,
                   CASE WHEN operation.currency = booked.currency THEN moved.amount ELSE 0 END AS expected, booked.amount AS booked,
                   line_id
              FROM booked LEFT JOIN payment_attempt AS attempt ON attempt.psp_key = booked.psp_key AND attempt.psp = ?
                          LEFT JOIN operation ON operation.operation_id = attempt.operation_id
                          -- A bank took it back, and that is on record here as an operation of its own.
                          CROSS JOIN LATERAL (
                              SELECT CASE WHEN attempt.state = 'succeeded' AND EXISTS (
                                  SELECT FROM operation AS back WHERE back.operation_id = 'attempt-' || booked.psp_key || '-return')
                                          THEN 0 ELSE operation.amount END AS amount) AS moved
             UNION ALL
            SELECT 'strange', NULL, NULL, currency, 0, CASE WHEN moved IN ('captured', 'given_back') THEN amount ELSE -amount END, line_id
              FROM settlement_line WHERE psp = ? AND booked_at >= ? AND booked_at <= ? AND psp_key IS NULL AND line_id <> ALL (?)
             UNION ALL
            SELECT CASE WHEN coalesce(attempt.decided_at, attempt.sent_at) > ? THEN 'not_yet'
                        WHEN attempt.state = 'succeeded' THEN 'missing'
                        ELSE 'undecided' END,
                   attempt.psp_key, operation.operation_id, operation.currency, operation.amount, 0, NULL
              FROM payment_attempt AS attempt JOIN operation USING (operation_id)
             WHERE attempt.psp = ? AND attempt.sent_at >= ? AND attempt.sent_at <= ? AND attempt.state <> 'failed_definite'
               AND NOT EXISTS (SELECT FROM settlement_line AS line WHERE line.psp_key = attempt.psp_key AND line.psp = attempt.psp)
            """;

    /**
     * Has charge look at lines of attempts whose money did not move by our rows.
     *
     * @param settlesWithin how long the PSP may take to book what an attempt moved
     * @return how many lines charge will look at
     */
    int run(Duration settlesWithin, Totals totals) throws SQLException {
        takeTime();
        var due = new AtomicInteger();
        var news = new ArrayList<String>();
        boolean isBank = Rail.BANK_DEBIT.isServedBy(psp);
        // A bank says on which day it booked, and not when.
        Instant first = isBank ? window.from.truncatedTo(ChronoUnit.DAYS) : window.from;
        Array closed = connection.createArrayOf("text", isBank ? BankSource.closed(connection, psp).toArray() : new String[0]);
        Sql.each(connection, AT_ONCE, COMPARE, row -> {
            Difference one = read(row);
            totals.add(one);
            if (NEWS.contains(one.finding())) {
                news.add(one.key().orElseThrow());
            }
            if (news.size() == AT_ONCE) {
                due.addAndGet(SettlementLines.lookAt(connection, psp, news));
                news.clear();
            }
        }, psp, first, window.to, psp, closed, isBank, closed, psp, psp, first, window.to, closed, window.to.minus(settlesWithin), psp,
                window.from, window.to);
        return due.addAndGet(SettlementLines.lookAt(connection, psp, news));
    }

    private static Difference read(ResultSet row) throws SQLException {
        Finding finding = Finding.fromTag(row.getString("finding"));
        return new Difference(finding, Optional.ofNullable(row.getString("psp_key")), Optional.ofNullable(row.getString("operation_id")),
                row.getString("currency"), row.getLong("expected"), row.getLong("booked"), Optional.ofNullable(row.getString("line_id")),
                finding.words());
    }

    private static final String RECORDED = """
            SELECT psp, line_id, psp_key, moved, amount, currency, psp_reference, booked_at, line_number, mark
              FROM settlement_line WHERE psp = ? AND booked_at >= ? AND booked_at <= ?
            """;

    /** Finds the recorded lines that no reconciliation with the key has recorded. Does nothing without a key. */
    void checkMarks(SettlementKeys keys, Totals totals) throws SQLException {
        if (keys.isEmpty()) {
            return;
        }
        takeTime();
        Sql.each(connection, AT_ONCE, RECORDED, row -> {
            if (!isMarked(keys, row)) {
                totals.add(new Difference(Finding.UNPROVEN, Optional.ofNullable(row.getString("psp_key")), Optional.empty(),
                        row.getString("currency"), 0, row.getLong("amount"), Optional.of(row.getString("line_id")),
                        Finding.UNPROVEN.words()));
            }
        }, psp, window.from, window.to);
    }

    private static boolean isMarked(SettlementKeys keys, ResultSet row) throws SQLException {
        byte[] mark = row.getBytes("mark");
        try {
            return mark != null && keys.madeMark(SettlementLines.read(row), mark);
        } catch (IllegalArgumentException noLineOfOurs) {
            return false;
        }
    }

    /** A month's lines take longer than a service's statement may. */
    private void takeTime() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = " + LONGEST.toMillis());
        }
    }
}
