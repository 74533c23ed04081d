// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The rows of receipts: which are due, and how their tries went. Any thread. */
final class ReceiptTable {

    /**
     * What is recorded about a try.
     *
     * @param state waiting, sent or dead
     * @param pause until the next try, of a waiting one
     */
    record Tried(Receipt receipt, Answer answer, String state, Duration pause) {}

    /**
     * @param overdueSeconds how long the oldest due receipt has waited
     * @param stuckSeconds   how old the oldest waiting receipt is of those that were made after the last one was sent; 0 without any
     */
    record Backlog(long waiting, long dead, double overdueSeconds, double stuckSeconds) {

        static final Backlog EMPTY = new Backlog(0, 0, 0, 0);
    }

    private final Database database;

    ReceiptTable(Database database) {
        this.database = database;
    }

    private static final String STAGE = "SELECT stage_receipts(?)";

    /** Within the caller's transaction. Repeating it is harmless. */
    static void stage(Connection connection, List<String> operations) throws SQLException {
        Sql.call(connection, STAGE, operations);
    }

    private static final String CLAIM = """
            WITH due AS (
                SELECT receipt_id FROM receipt WHERE state = 'waiting' AND due_at <= now()
                 ORDER BY due_at, receipt_id LIMIT ? FOR UPDATE SKIP LOCKED
            )
            UPDATE receipt SET attempts = attempts + 1, fence = fence + 1, due_at = now() + ? * interval '1 millisecond'
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

    private static final String RECORD = """
            UPDATE receipt
               SET state = tried.state, attempts = greatest(attempts - tried.uncounted, 0),
                   last_status = tried.status, last_error = tried.error,
                   due_at = now() + tried.pause_ms * interval '1 millisecond',
                   ended_at = CASE WHEN tried.state <> 'waiting' THEN now() END
              FROM unnest(?::text[], ?::bigint[], ?::text[], ?::int[], ?::int[], ?::text[], ?::bigint[])
                AS tried (receipt_id, fence, state, uncounted, status, error, pause_ms)
             WHERE receipt.receipt_id = tried.receipt_id
               -- A later claim decides, unless this try has sent it. If it was resent meanwhile, it is mailed once more.
               AND (receipt.state = 'waiting' AND receipt.fence = tried.fence
                    OR tried.state = 'sent' AND receipt.state IN ('waiting', 'dead') AND receipt.attempts > 0)
            """;

    /** Within the caller's transaction. Repeating it is harmless. */
    static void record(Connection connection, List<Tried> tries) throws SQLException {
        // In one order in each process, so that no two wait for each other's rows.
        List<Tried> ordered = tries.stream().sorted(Comparator.comparing(tried -> tried.receipt.id())).toList();
        try (var statement = connection.prepareStatement(RECORD)) {
            Columns.of(ordered, statement)
                    .with("text", tried -> tried.receipt.id())
                    .with("int8", tried -> tried.receipt.fence())
                    .with("text", Tried::state)
                    .with("int4", tried -> tried.answer instanceof Answer.NotSent ? 1 : 0)
                    .with("int4", tried -> tried.answer.code().isPresent() ? tried.answer.code().getAsInt() : null)
                    .with("text", tried -> tried.answer.why().orElse(null))
                    .with("int8", tried -> tried.pause.toMillis());
            statement.executeUpdate();
        }
    }

    private static final String FORGET = "SELECT forget_receipts(? * interval '1 millisecond', ?)";

    /** Returns how many it has deleted. */
    int forget(Duration kept, int most) {
        return database.inTransaction(connection -> Sql.one(connection, FORGET, row -> row.getInt(1), kept.toMillis(), most));
    }

    private static final String BACKLOG = """
            SELECT (SELECT count(*) FROM (SELECT FROM receipt WHERE state = 'waiting' LIMIT 100000) AS few),
                   (SELECT count(*) FROM (SELECT FROM receipt WHERE state = 'dead' LIMIT 100000) AS few),
                   (SELECT coalesce(greatest(extract(epoch FROM now() - min(due_at)), 0), 0) FROM receipt WHERE state = 'waiting'),
                   (SELECT coalesce(greatest(extract(epoch FROM now() - min(created_at)), 0), 0)
                      FROM (SELECT created_at FROM receipt
                             WHERE state = 'waiting'
                               AND created_at > coalesce((SELECT max(ended_at) FROM receipt WHERE state = 'sent'), '-infinity')
                             LIMIT 100000) AS few)
            """;

    Backlog backlog() {
        return database.withConnection(connection -> Sql.one(connection, BACKLOG,
                row -> new Backlog(row.getLong(1), row.getLong(2), row.getDouble(3), row.getDouble(4))));
    }

    private static final String PING = """
            SELECT current_setting('synchronous_commit') = 'off' FROM (SELECT FROM receipt LIMIT 1) AS readable
             UNION ALL SELECT current_setting('synchronous_commit') = 'off' LIMIT 1
            """;

    /** What keeps this process from working with Postgres, in one line; empty if nothing does. */
    Optional<String> problem() {
        try {
            boolean risky = database.withConnection(connection -> Sql.one(connection, PING, row -> row.getBoolean(1)));
            return risky ? Optional.of("Postgres may lose commits in a crash: set synchronous_commit to on") : Optional.empty();
        } catch (DatabaseUnavailable | DatabaseRefused e) {
            return Optional.of(e.getMessage());
        }
    }
}
