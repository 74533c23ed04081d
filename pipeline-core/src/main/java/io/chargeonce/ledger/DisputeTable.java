// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Sql;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The disputes of payments: one row for each dispute of a PSP. */
public final class DisputeTable {

    private static final String COLUMNS = """
            psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, funds_rank, refundable, answered,
            asked_at, answered_at, due_by, revision
            """;

    private DisputeTable() {}

    /**
     * Under the payment's lock.
     *
     * @return the dispute as it stands now; empty if the report is no news
     */
    public static Optional<Dispute> fold(Connection connection, String psp, String payment, Dispute.Report report) throws SQLException {
        Optional<Dispute> known = find(connection, psp, report.reference());
        Dispute next = known.map(dispute -> dispute.after(report)).orElseGet(() -> Dispute.of(psp, payment, report));
        if (known.equals(Optional.of(next))) {
            return Optional.empty();
        }
        save(connection, next);
        return Optional.of(next);
    }

    private static final String FIND = "SELECT " + COLUMNS + " FROM dispute WHERE psp = ? AND reference = ?";

    private static Optional<Dispute> find(Connection connection, String psp, String reference) throws SQLException {
        return Sql.first(connection, FIND, DisputeTable::dispute, psp, reference);
    }

    private static final String SAVE = "INSERT INTO dispute (" + COLUMNS + """
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (psp, reference) DO UPDATE
               SET amount = excluded.amount, currency = excluded.currency, reason = excluded.reason, stage = excluded.stage,
                   stage_rank = excluded.stage_rank, final = excluded.final, funds = excluded.funds, funds_rank = excluded.funds_rank,
                   refundable = excluded.refundable, answered = excluded.answered, asked_at = excluded.asked_at,
                   answered_at = excluded.answered_at, due_by = excluded.due_by, revision = excluded.revision, changed_at = now()
            """;

    private static void save(Connection connection, Dispute next) throws SQLException {
        Sql.update(connection, SAVE, next.psp(), next.reference(), next.payment(), next.money().map(Money::minorUnits),
                next.money().map(Money::currency), next.reason(), next.stage().tag(), next.stageRank(), next.isFinal(), next.funds().tag(),
                next.fundsRank(), next.refundable(), next.answered(), next.askedAt(), next.answeredAt(), next.dueBy(),
                next.revision());
    }

    private static final String ALL = "SELECT " + COLUMNS + " FROM dispute WHERE payment_id = ? ORDER BY psp, reference";

    public static List<Dispute> of(Connection connection, String payment) throws SQLException {
        return Sql.all(connection, ALL, DisputeTable::dispute, payment);
    }

    private static final String OF_MERCHANT = "SELECT " + COLUMNS + " FROM disputes_of(?, ?) ORDER BY psp, reference";

    /** Those of a merchant's payment. */
    public static List<Dispute> of(Connection connection, String merchant, String payment) throws SQLException {
        return Sql.all(connection, OF_MERCHANT, DisputeTable::dispute, merchant, payment);
    }

    private static Dispute dispute(ResultSet row) throws SQLException {
        Optional<String> currency = Optional.ofNullable(row.getString("currency"));
        long amount = row.getLong("amount");
        return new Dispute(row.getString("psp"), row.getString("reference"), row.getString("payment_id"),
                currency.map(code -> new Money(amount, code)), row.getString("reason"), Dispute.Stage.fromTag(row.getString("stage")),
                row.getInt("stage_rank"), row.getBoolean("final"), Dispute.Funds.fromTag(row.getString("funds")), row.getInt("funds_rank"),
                row.getBoolean("refundable"), row.getBoolean("answered"), Optional.ofNullable(Sql.instant(row, "asked_at")),
                Optional.ofNullable(Sql.instant(row, "answered_at")), Optional.ofNullable(Sql.instant(row, "due_by")),
                row.getInt("revision"));
    }
}
