// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.AuditLog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What people look up about receipts, and how they send them again. It shows no address. Any thread. */
public final class ReceiptBook {

    /** What to list; what is empty does not matter. */
    public record Filter(Optional<String> payment, Optional<String> state, Optional<String> error, Optional<String> receipt) {}

    /**
     * @param state {@code waiting}, {@code sent}, {@code dead} or {@code erased}
     * @param dueAt of a waiting one: the next try
     */
    public record Entry(String receipt, String operation, String payment, String merchant, String kind, String state, int attempts,
            Optional<Integer> lastStatus, Optional<String> lastError, Instant createdAt, Instant dueAt, Optional<Instant> endedAt) {}

    private final Database database;
    private final String claim;

    /** @param claim the client's own name for its user */
    public ReceiptBook(Database database, String claim) {
        this.database = database;
        this.claim = claim;
    }

    /** The planner sees the parameters as constants, so each filter has its index. */
    private static final String LIST = """
            SELECT receipt_id, operation_id, payment_id, merchant_id, kind, state, attempts, last_status, last_error, created_at, due_at,
                   ended_at
              FROM receipt
             CROSS JOIN (SELECT ?::text AS payment, ?::text AS of_state, ?::text AS receipt, ?::text AS error) AS wanted
             WHERE (wanted.payment IS NULL OR payment_id = wanted.payment) AND (of_state IS NULL OR state = of_state)
               AND (wanted.receipt IS NULL OR receipt_id = wanted.receipt) AND (wanted.error IS NULL OR last_error = wanted.error)
             ORDER BY created_at DESC, receipt_id
             LIMIT ?
            """;

    /** The newest first. */
    public List<Entry> list(Filter filter, int most) {
        return database.withConnection(connection -> Sql.all(connection, LIST, ReceiptBook::entry, filter.payment, filter.state,
                filter.receipt, filter.error, most));
    }

    private static Entry entry(ResultSet row) throws SQLException {
        return new Entry(row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getString(6),
                row.getInt(7), Optional.ofNullable(row.getObject(8, Integer.class)), Optional.ofNullable(row.getString(9)),
                Sql.instant(row, 10),
                Sql.instant(row, 11), Optional.ofNullable(Sql.instant(row, 12)));
    }

    private static final String COUNT_DEAD = """
            SELECT count(*) FROM receipt JOIN operation AS charge ON charge.operation_id = receipt.payment_id
             WHERE state = 'dead' AND last_error IS NOT DISTINCT FROM coalesce(?, last_error) AND charge.receipt_email <> '[erased]'
            """;

    /**
     * How many are dead whose address is still there.
     *
     * @param error only those that died of it; empty for all
     */
    public long dead(Optional<String> error) {
        return number(COUNT_DEAD, error);
    }

    private static final String HAS_ADDRESS = """
            SELECT count(*) FROM receipt JOIN operation AS charge ON charge.operation_id = receipt.payment_id
             WHERE receipt_id = ? AND charge.receipt_email <> '[erased]'
            """;

    /** Whether the address that this receipt goes to is still there. */
    public boolean hasAddress(String receipt) {
        return number(HAS_ADDRESS, receipt) == 1;
    }

    /** As {@code stage_missed_receipts} finds them. */
    private static final String MISSING = """
            SELECT count(*)
              FROM operation_now AS its JOIN operation AS charge ON charge.operation_id = its.payment_id
             WHERE its.payment_id = ?
               AND (its.state = 'succeeded' AND its.kind IN ('charge', 'refund') OR its.state = 'failed' AND its.kind = 'refund')
               AND charge.receipt_email <> '[erased]' AND its.settled_at > now() - interval '480 hours'
               AND NOT EXISTS (SELECT FROM receipt WHERE receipt.operation_id = its.operation_id
                                  AND receipt.kind = CASE its.state WHEN 'failed' THEN 'refund_failed' ELSE its.kind END)
            """;

    /** How many receipts this payment and its refunds lack, of what succeeded in the last twenty days. */
    public long missing(String payment) {
        return number(MISSING, payment);
    }

    private long number(String sql, Object argument) {
        return database.withConnection(connection -> Sql.one(connection, sql, row -> row.getLong(1), argument));
    }

    private static final String RESEND_ONE = """
            UPDATE receipt SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), ended_at = NULL
             WHERE receipt_id = ? AND state IN ('sent', 'dead')
               AND EXISTS (SELECT FROM operation AS charge WHERE charge.operation_id = receipt.payment_id AND receipt_email <> '[erased]')
            RETURNING receipt_id, payment_id, merchant_id
            """;
    private static final String RESEND_DEAD = """
            UPDATE receipt SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), ended_at = NULL
             WHERE receipt_id IN (SELECT receipt_id FROM receipt JOIN operation AS charge ON charge.operation_id = receipt.payment_id
                                   WHERE state = 'dead' AND last_error IS NOT DISTINCT FROM coalesce(?, last_error)
                                     AND charge.receipt_email <> '[erased]'
                                   ORDER BY receipt_id LIMIT 1000 FOR UPDATE OF receipt)
            RETURNING receipt_id, payment_id, merchant_id
            """;

    /** Mails one again under its id, also one that was sent. @return false if there is none that has ended with an address */
    public boolean resend(String receipt) {
        return again(RESEND_ONE, Optional.of(receipt)) == 1;
    }

    /**
     * Mails all dead ones again, a thousand in each transaction.
     *
     * @return how many
     */
    public int resendDead(Optional<String> error) {
        // One that dies again meanwhile must not be taken twice for ever.
        long most = dead(error);
        int all = 0;
        int some;
        do {
            some = again(RESEND_DEAD, error);
            all += some;
        } while (some > 0 && all < most);
        return all;
    }

    private static final String STAGE_MISSED = """
            SELECT stage_missed_receipts(ARRAY[operation_id]), merchant_id FROM operation WHERE operation_id = ?
            """;

    /**
     * Makes the receipts that a payment and its refunds lack, because the topic lost their records.
     *
     * @return how many were missing
     */
    public int stageMissed(String payment) {
        return database.inTransaction(connection -> Sql.first(connection, STAGE_MISSED, row -> {
            int made = row.getInt(1);
            if (made > 0) {
                AuditLog.append(connection, List.of(new AuditLog.Entry(new AuditLog.Actor.Person(Optional.of(claim)),
                        "dlq.receipt_staged", Optional.of(row.getString(2)), "payment", payment, Optional.empty(),
                        Map.of("missed", made))));
            }
            return made;
        }, payment).orElse(0));
    }

    private int again(String sql, Optional<String> argument) {
        return database.inTransaction(connection -> {
            List<AuditLog.Entry> audit = Sql.all(connection, sql, row -> new AuditLog.Entry(new AuditLog.Actor.Person(Optional.of(claim)),
                    "dlq.receipt_resent", Optional.of(row.getString(3)), "payment", row.getString(2), Optional.empty(),
                    Map.of("receipt", row.getString(1))), argument);
            AuditLog.append(connection, audit);
            return audit.size();
        });
    }
}
