// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.notifications.MessageTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The rows of receipts: which are due, and how their tries went. Any thread. */
final class ReceiptTable extends MessageTable<Receipt> {

    ReceiptTable(Database database) {
        super(database, ReceiptService.CHANNEL);
    }

    private static final String CLAIM = """
            WITH due AS (
                SELECT receipt_id FROM receipt
                 WHERE state = 'waiting' AND due_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
                 ORDER BY due_at, receipt_id LIMIT ? FOR UPDATE SKIP LOCKED
            )
            UPDATE receipt SET attempts = attempts + 1, fence = fence + 1,
                   claimed_until = now() + ? * interval '1 millisecond'
              FROM due WHERE receipt.receipt_id = due.receipt_id
            RETURNING receipt.receipt_id, attempts, fence
            """;

    /** Claims receipts that are due. If their process dies, they are due again when the claim ends. */
    List<Receipt> claim(int most, Duration claim) {
        return database.inTransaction(connection -> Sql.all(connection, CLAIM,
                row -> new Receipt(row.getString(1), row.getInt(2), row.getLong(3)), most, claim.toMillis()));
    }

    private static final String TO_SEND = """
            SELECT recipient, of_kind, of_payment, of_amount, of_currency, of_reference, of_description, at, name, reply_to, locale
              FROM receipt_to_send(?, ?)
            """;

    /** Empty if the address was erased, which ends the receipt, or if the claim is over. */
    Optional<Receipt.Content> toSend(Receipt receipt) {
        return database.inTransaction(connection -> Sql.first(connection, TO_SEND, ReceiptTable::content, receipt.id(), receipt.fence()));
    }

    private static Receipt.Content content(ResultSet row) throws SQLException {
        return new Receipt.Content(row.getString(1), Receipt.Kind.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
                row.getString(3), row.getLong(4), row.getString(5), Optional.ofNullable(row.getString(6)),
                Optional.ofNullable(row.getString(7)), Sql.instant(row, 8), row.getString(9),
                Optional.ofNullable(row.getString(10)), Optional.ofNullable(row.getString(11)));
    }

    private static final String BACKLOG = """
            SELECT (SELECT coalesce(greatest(extract(epoch FROM now() - min(due_at)), 0), 0)
                      FROM receipt WHERE state = 'waiting' AND (claimed_until IS NULL OR claimed_until <= now())) AS "overdue.seconds",
                   (SELECT coalesce(greatest(extract(epoch FROM now() - min(created_at)), 0), 0)
                      FROM (SELECT created_at FROM receipt
                             WHERE state = 'waiting'
                               AND created_at > coalesce((SELECT max(ended_at) FROM receipt WHERE state = 'sent'), '-infinity')
                             LIMIT 100000) AS few) AS "stuck.seconds"
            """;

    @Override
    protected Map<String, Double> more(Connection connection) throws SQLException {
        return Sql.one(connection, BACKLOG, MessageTable::byColumn);
    }
}
