// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.xml.PaymentFile;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The rows of banks and of our files. Every change of a file's state carries the submitter's fence. */
final class BatchTable {

    private static final int MOST_ITEMS = 100_000;

    private BatchTable() {}

    private static final String REGISTER = """
            INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES (?, ?, ?)
            ON CONFLICT (bank) DO UPDATE SET answer_within_s = excluded.answer_within_s,
                                             next_cutoff = least(bank.next_cutoff, excluded.next_cutoff)
            """;

    /** Makes the bank known to charge and ingest. Its next file stays as planned, unless the settings have an earlier window now. */
    static void register(Connection connection, String bank, Instant next, Duration answerWithin) throws SQLException {
        Sql.update(connection, REGISTER, bank, next, Math.max(1, answerWithin.toSeconds()));
    }

    /** @param now by the database's clock */
    record Plan(Instant now, Instant sealAt) {}

    private static final String PLAN = "SELECT clock_timestamp(), next_cutoff FROM bank WHERE bank = ?";

    static Plan plan(Connection connection, String bank) throws SQLException {
        return Sql.one(connection, PLAN, row -> new Plan(Sql.instant(row, 1), Sql.instant(row, 2)), bank);
    }

    private static final String PLAN_NEXT = "UPDATE bank SET next_cutoff = ? WHERE bank = ? AND fence = ?";

    static void planNext(Connection connection, String bank, long fence, Instant next) throws SQLException {
        if (Sql.update(connection, PLAN_NEXT, next, bank, fence) != 1) {
            throw new Submitter.Fenced(bank);
        }
    }

    private static final String SEAL = "SELECT seal_bank_batch(?, ?, ?, ?, clock_timestamp(), ?, ?, ?, %d)".formatted(MOST_ITEMS);

    /** Empty if nothing waits. */
    static Optional<Long> seal(Connection connection, String bank, long fence, PaymentFile.Kind kind, Windows.Window window, String prefix,
                               Instant answerBy)
            throws SQLException {
        return Optional.ofNullable(Sql.one(connection, SEAL, row -> row.getObject(1, Long.class), bank, fence, kind.tag(), "EUR",
                window.dueOn(), prefix, answerBy));
    }

    private static final String SET_ASIDE = "SELECT set_aside_for_bank(?, ?, ?, ?)";

    /** Gives up items that wait for a file, each for its reason. None of them is ever in one. */
    static void setAside(Connection connection, String bank, long fence, Map<String, String> items) throws SQLException {
        List<Map.Entry<String, String>> each = List.copyOf(items.entrySet());
        Sql.call(connection, SET_ASIDE, bank, fence, each.stream().map(Map.Entry::getKey).toList(),
                each.stream().map(Map.Entry::getValue).toList());
    }

    private static final String HAS_WORK = """
            SELECT EXISTS (SELECT FROM bank WHERE bank = ? AND next_cutoff <= clock_timestamp())
                OR EXISTS (SELECT FROM bank_batch WHERE bank = ? AND state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming')
                              AND try_at <= clock_timestamp())
            """;

    static boolean hasWork(Connection connection, String bank) throws SQLException {
        return Sql.one(connection, HAS_WORK, row -> row.getBoolean(1), bank, bank);
    }

    private static final String TO_SEND = """
            SELECT batch_id, bank, kind, currency, message_id, file_name, due_on, items, total, state, sha256, coalesce(size, 0), sealed_at,
                   tries, resends
              FROM bank_batch
             WHERE bank = ? AND state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming') AND try_at <= clock_timestamp()
               AND NOT EXISTS (SELECT FROM bank_batch_item AS item WHERE item.batch_id = bank_batch.batch_id AND given_up)
             ORDER BY batch_id LIMIT 100
            """;

    static List<BankBatch> toSend(Connection connection, String bank) throws SQLException {
        return Sql.all(connection, TO_SEND, BatchTable::batch, bank);
    }

    private static BankBatch batch(ResultSet row) throws SQLException {
        return new BankBatch(row.getLong(1), row.getString(2),
                row.getString(3).equals("debit") ? PaymentFile.Kind.DEBIT : PaymentFile.Kind.CREDIT, row.getString(4), row.getString(5),
                row.getString(6), row.getObject(7, LocalDate.class), row.getInt(8), row.getLong(9),
                BankBatch.State.valueOf(row.getString(10).toUpperCase(Locale.ROOT)), row.getBytes(11), row.getLong(12),
                Sql.instant(row, 13),
                row.getInt(14), row.getInt(15));
    }

    private static final String RENDERED = "SELECT rendered_bank_batch(?, ?, ?, ?)";

    static void rendered(Connection connection, BankBatch batch, long fence, byte[] sha256, long size) throws SQLException {
        mustMove(connection, RENDERED, batch, batch.id(), fence, sha256, size);
    }

    private static final String MOVE = "SELECT move_bank_batch(?, ?, ?)";

    /** To the next state: the database knows which one is before it. */
    static void move(Connection connection, BankBatch batch, BankBatch.State to, long fence) throws SQLException {
        mustMove(connection, MOVE, batch, batch.id(), fence, to.tag());
    }

    private static void mustMove(Connection connection, String sql, BankBatch batch, Object... values) throws SQLException {
        if (!Sql.one(connection, sql, row -> row.getBoolean(1), values)) {
            throw new Submitter.Fenced(batch.bank());
        }
    }

    private static final String FAILED = """
            UPDATE bank_batch SET tries = tries + 1, last_error = left(?, 500), try_at = clock_timestamp() + ? * interval '1 millisecond'
             WHERE batch_id = ?
            """;

    static void failed(Connection connection, BankBatch batch, String why, Duration pause) throws SQLException {
        Sql.update(connection, FAILED, why.replace('\0', ' '), pause.toMillis(), batch.id());
    }

    private static final String LATE = """
            SELECT message_id FROM bank_batch AS batch
             WHERE bank = ? AND answer_due < clock_timestamp()
               AND EXISTS (SELECT FROM bank_batch_item AS item
                            WHERE item.batch_id = batch.batch_id AND NOT given_up
                              AND NOT EXISTS (SELECT FROM bank_line AS said
                                               WHERE said.psp_key = item.psp_key AND said.kind IN ('booked', 'returned', 'rejected')))
             ORDER BY batch_id LIMIT 100
            """;

    /** Files that the bank should have answered by now, and of which an item still waits for it. */
    static List<String> late(Connection connection, String bank) throws SQLException {
        return Sql.all(connection, LATE, row -> row.getString(1), bank);
    }

    // A file that a person has sent again has to go since then: its deadline is set then.
    private static final String OLDEST_UNSENT = """
            SELECT greatest(0,
                            (SELECT max(extract(epoch FROM clock_timestamp()
                                                           - greatest(sealed_at, answer_due - answer_within_s * interval '1 second')))
                               FROM bank_batch JOIN bank USING (bank)
                              WHERE bank = ? AND state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming')),
                            (SELECT extract(epoch FROM clock_timestamp() - next_cutoff) FROM bank
                              WHERE bank = ? AND EXISTS (SELECT FROM bank_batch_item AS item
                                                          WHERE item.bank = bank.bank AND batch_id IS NULL AND NOT fenced)))
            """;

    /** How long the oldest file that is not at the bank has had to go there, or to be sealed; zero if all are there. */
    static Duration oldestUnsent(Connection connection, String bank) throws SQLException {
        return Duration.ofMillis(Math.round(Sql.one(connection, OLDEST_UNSENT, row -> row.getDouble(1), bank, bank) * 1_000));
    }

    private static final String ITEMS = """
            SELECT psp_key, payment_id, amount, currency, mandate_id, signed_on, sealed_debtor, remittance
              FROM bank_batch_item JOIN bank_mandate USING (mandate_id) WHERE batch_id = ? ORDER BY item_id
            """;

    /** One item, with what its mandate says sealed. */
    record Item(String key, String payment, long amount, String currency, String mandate, LocalDate signedOn, byte[] sealedDebtor,
            String remittance) {}

    /** Within a transaction, a thousand rows at a time. */
    static void forEachItem(Connection connection, BankBatch batch, Consumer<Item> items) throws SQLException {
        Sql.each(connection, 1_000, ITEMS, row -> items.accept(new Item(row.getString(1), row.getString(2), row.getLong(3),
                row.getString(4), row.getString(5), row.getObject(6, LocalDate.class), row.getBytes(7), row.getString(8))), batch.id());
    }
}
