// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.reconcile.report.BankBooking;
import io.chargeonce.reconcile.report.Entry;
import io.chargeonce.settlement.BankSaid;
import io.chargeonce.settlement.SettlementKeys;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What a bank has booked and returned, as bank-files has read it from the bank's files. A line that a person has closed is only
 * counted. Of an attempt with a line in this time, all are taken, for a return comes weeks later. With a key, a line without a right mark
 * is unreadable.
 *
 * @param to the first day that does not count
 */
public record BankSource(Database database, SettlementKeys keys, String bank, LocalDate from, LocalDate to) implements Source {

    private static final int AT_ONCE = 1000;
    /** By the bank's clock it is tomorrow, or its next business day comes after holidays. */
    private static final int DATED_AHEAD = 7;

    private record Read(long id, Entry entry) {}

    @Override
    public void each(Consumer<Entry> to) {
        long last = 0;
        for (List<Read> page = after(last); !page.isEmpty(); page = after(last)) {
            page.forEach(one -> to.accept(one.entry));
            last = page.getLast().id;
        }
    }

    private static final String LINES = """
            SELECT line_id, kind, psp_key, amount, currency, credit, coalesce(code, '') AS code, coalesce(reference, '') AS reference,
                   happened_on, coalesce(happened_on, (received_at AT TIME ZONE 'UTC')::date) AS on_day, mark, line.state
              FROM bank_line AS line JOIN bank_file_in USING (file_id)
             WHERE line.bank = ? AND line_id > ? AND kind IN ('booked', 'returned')
               AND (coalesce(happened_on, (received_at AT TIME ZONE 'UTC')::date) >= ?
                    AND coalesce(happened_on, (received_at AT TIME ZONE 'UTC')::date) < ?
                    OR EXISTS (SELECT FROM bank_line AS its JOIN bank_file_in AS its_file USING (file_id)
                                WHERE its.psp_key = line.psp_key AND its.psp_key <> '' AND its.bank = line.bank
                                  AND its.kind IN ('booked', 'returned')
                                  AND coalesce(its.happened_on, (its_file.received_at AT TIME ZONE 'UTC')::date) >= ?
                                  AND coalesce(its.happened_on, (its_file.received_at AT TIME ZONE 'UTC')::date) < ?))
             ORDER BY line_id LIMIT ?
            """;

    private List<Read> after(long line) {
        return database.withConnection(connection -> Sql.all(connection, LINES, row -> new Read(row.getLong("line_id"), entry(row)),
                bank, line, from, to, from, to, AT_ONCE));
    }

    private Entry entry(ResultSet row) throws SQLException {
        if (row.getString("state").equals("closed")) {
            return new Entry.Other("closed by a person");
        }
        if (!keys.isEmpty() && !isMarked(row)) {
            return new Entry.Unreadable(row.getLong("line_id"), "it has no mark of the settlement key, or is not what bank-files read");
        }
        return booking(row, bank).entry();
    }

    private static BankBooking booking(ResultSet row, String bank) throws SQLException {
        return new BankBooking(bank, row.getLong("line_id"), row.getString("kind").equals("returned"), row.getString("psp_key"),
                row.getLong("amount"), row.getString("currency"), row.getBoolean("credit"), row.getString("reference"),
                row.getObject("on_day", LocalDate.class));
    }

    private static final String CLOSED = """
            SELECT line_id, kind, psp_key, amount, currency, credit, coalesce(reference, '') AS reference,
                   coalesce(happened_on, (received_at AT TIME ZONE 'UTC')::date) AS on_day
              FROM bank_line AS line JOIN bank_file_in USING (file_id)
             WHERE line.bank = ? AND line.state = 'closed' AND kind IN ('booked', 'returned')
               AND NOT EXISTS (SELECT FROM bank_line AS other
                                WHERE other.psp_key = line.psp_key AND other.state <> 'closed'
                                  AND (other.bank, other.kind, other.amount, other.currency, other.credit, coalesce(other.reference, ''))
                                      = (line.bank, line.kind, line.amount, line.currency, line.credit, coalesce(line.reference, ''))
                                  AND (line.reference <> '' OR other.happened_on IS NOT DISTINCT FROM line.happened_on))
            """;

    /** The ids of the bookings that a person has closed, each time that the bank told of them: they may have been recorded before. */
    static List<String> closed(Connection connection, String bank) throws SQLException {
        return Sql.all(connection, CLOSED, row -> booking(row, bank).entry(), bank).stream()
                .flatMap(entry -> entry instanceof Entry.Booked booked ? Stream.of(booked.line().id()) : Stream.empty()).toList();
    }

    private static final String KNOWN = """
            SELECT EXISTS (SELECT FROM bank WHERE bank = ?) OR EXISTS (SELECT FROM payment_attempt WHERE psp = ?)
            """;

    /** Whether bank-files has an account of this name, or an attempt was ever made at one. */
    public static boolean isKnown(Database database, String bank) {
        return database.withConnection(connection -> Sql.one(connection, KNOWN, row -> row.getBoolean(1), bank, bank));
    }

    private boolean isMarked(ResultSet row) throws SQLException {
        byte[] mark = row.getBytes("mark");
        LocalDate on = row.getObject("happened_on", LocalDate.class);
        return mark != null && keys.madeMark(new BankSaid(bank, row.getString("kind"), row.getString("psp_key"), row.getString("amount"),
                row.getString("currency"), String.valueOf(row.getBoolean("credit")), row.getString("code"), row.getString("reference"),
                on == null ? "" : on.toString()), mark);
    }

    /** Of the status query: what a bank booked on a day that is over does not change. */
    @Override
    public byte[] sha256() {
        return Source.digest().digest("lines of %s from %s to %s".formatted(bank, from, to).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean hasIds() {
        return true;
    }

    /** All days between two times, the last one too, and those after it on which a bank may date what it says today. */
    public static BankSource between(Database database, SettlementKeys keys, String bank, Instant from, Instant to) {
        return new BankSource(database, keys, bank, LocalDate.ofInstant(from, ZoneOffset.UTC),
                LocalDate.ofInstant(to, ZoneOffset.UTC).plusDays(1 + DATED_AHEAD));
    }
}
