// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.evidence;

import io.chargeonce.charge.evidence.MoneyLine.Said;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspKey;
import io.chargeonce.settlement.BankSaid;
import io.chargeonce.settlement.SettlementKeys;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The lines of banks that wait, and what was made of them. */
final class BankLineTable {

    /** ISO 20022: a return whose reason the bank does not say. */
    private static final String NO_REASON = "MS03";

    /** @param mark empty if the line has none */
    record Line(long id, BankSaid said, Optional<byte[]> mark) {

        private static Line of(ResultSet row) throws SQLException {
            var said = new BankSaid(row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getString(6),
                    row.getString(7), row.getString(8), row.getString(9), row.getString(10));
            return new Line(row.getLong(1), said, Optional.ofNullable(row.getBytes(11)));
        }

        String bank() {
            return said.bank();
        }

        String kind() {
            return said.kind();
        }

        String key() {
            return said.key();
        }

        /** Empty if the bank gave none. */
        String reference() {
            return said.reference();
        }

        boolean hasMarkOf(SettlementKeys keys) {
            return mark.filter(made -> keys.madeMark(said, made)).isPresent();
        }

        /** Not about money that moved. */
        boolean isStatus() {
            return kind().equals("rejected") || kind().equals("file_rejected");
        }

        MoneyLine asMoneyLine() {
            String name = reference().isEmpty() ? key() : reference();
            return new MoneyLine(bank(), new PspKey(key()), switch (kind()) {
                case "booked" -> new Said.Booked(money(), said.credit().equals("true"), name);
                case "returned" -> new Said.Returned(money(), said.credit().equals("true"), name,
                        said.code().isEmpty() ? NO_REASON : said.code());
                case "rejected" -> new Said.Rejected(said.code(), Optional.of(reference()).filter(given -> !given.isEmpty()));
                case "file_rejected" -> new Said.NotExecuted(said.code());
                default -> throw new IllegalStateException("Bug! A bank's line of the kind " + kind());
            });
        }

        private Money money() {
            return new Money(Long.parseLong(said.amount()), said.currency());
        }
    }

    /**
     * @param wasSent  whether its item's file may have reached the bank
     * @param sameKind the reference of the earlier lines of its kind; empty if none of them has one
     * @param isRepeat whether that line may tell of the same: under the same reference, or on the same day if one of them has none, because
     *                 a bank may give its reference in the statement alone
     * @param returned whether an earlier line said that the money went back
     */
    record Before(boolean wasSent, Optional<String> sameKind, boolean isRepeat, boolean returned) {}

    private static final String COLUMNS = """
            SELECT line_id, bank, kind, psp_key, coalesce(amount::text, ''), coalesce(currency, ''), coalesce(credit::text, ''),
                   coalesce(code, ''), coalesce(reference, ''), coalesce(to_char(happened_on, 'YYYY-MM-DD'), ''), mark
              FROM bank_line WHERE state = 'new'""";

    private BankLineTable() {}

    private static final String LOCK_NEW = COLUMNS + " ORDER BY line_id LIMIT ? FOR UPDATE SKIP LOCKED";

    static List<Line> lockNew(Connection connection, int most) throws SQLException {
        return Sql.all(connection, LOCK_NEW, Line::of, most);
    }

    private static final String LOCK_ONE = COLUMNS + " AND line_id = ? FOR UPDATE SKIP LOCKED";

    static List<Line> lockNew(Connection connection, long id) throws SQLException {
        return Sql.all(connection, LOCK_ONE, Line::of, id);
    }

    private static final String NEW_IDS = "SELECT line_id FROM bank_line WHERE state = 'new' ORDER BY line_id LIMIT ?";

    static List<Long> newIds(Connection connection, int most) throws SQLException {
        return Sql.all(connection, NEW_IDS, row -> row.getLong(1), most);
    }

    private static final String BEFORE = """
            SELECT EXISTS (SELECT FROM bank_batch_item AS item JOIN bank_batch AS batch USING (batch_id)
                            WHERE item.psp_key = line.psp_key AND batch.bank = line.bank
                              AND (batch.sent_at IS NOT NULL OR batch.state = 'renaming')),
                   before.reference,
                   coalesce(before.reference = coalesce(line.reference, '')
                            OR '' IN (before.reference, coalesce(line.reference, ''))
                               AND coalesce(before.happened_on = line.happened_on, true), false),
                   EXISTS (SELECT FROM bank_line WHERE psp_key = line.psp_key AND kind = 'returned' AND state = 'taken')
              FROM bank_line AS line
              LEFT JOIN LATERAL (SELECT coalesce(nullif(first.reference, ''),
                                                 (SELECT reference FROM bank_line AS named
                                                   WHERE named.psp_key = first.psp_key AND named.kind = first.kind
                                                     AND named.state = 'repeated' AND named.reference <> ''
                                                   ORDER BY named.line_id LIMIT 1), '') AS reference, happened_on
                                   FROM bank_line AS first
                                  WHERE first.psp_key = line.psp_key AND first.kind = line.kind AND first.state = 'taken'
                                  ORDER BY first.line_id LIMIT 1) AS before ON true
             WHERE line.line_id = ?
            """;

    static Before before(Connection connection, Line line) throws SQLException {
        return Sql.one(connection, BEFORE, row -> new Before(row.getBoolean(1), Optional.ofNullable(row.getString(2)), row.getBoolean(3),
                row.getBoolean(4)), line.id());
    }

    private static final String WENT_BACK = """
            SELECT EXISTS (SELECT FROM bank_line WHERE psp_key = ? AND kind = 'returned' AND state = 'taken')
            """;

    static boolean wentBack(Connection connection, String key) throws SQLException {
        return Sql.one(connection, WENT_BACK, row -> row.getBoolean(1), key);
    }

    private static final String TAKEN = "UPDATE bank_line SET state = ?, note = left(?, 500), taken_at = now() WHERE line_id = ?";

    static void taken(Connection connection, long id, Taken taken) throws SQLException {
        Sql.update(connection, TAKEN, switch (taken) {
            case Taken.Recorded recorded -> "taken";
            case Taken.Nothing nothing -> "repeated";
            case Taken.Unmatched strange -> "unmatched";
        }, taken.note(), id);
    }
}
