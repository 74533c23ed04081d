// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.xml.PaymentFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

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
        try (var statement = connection.prepareStatement(REGISTER)) {
            statement.setString(1, bank);
            statement.setObject(2, next.atOffset(ZoneOffset.UTC));
            statement.setLong(3, Math.max(1, answerWithin.toSeconds()));
            statement.executeUpdate();
        }
    }

    /** @param now by the database's clock */
    record Plan(Instant now, Instant sealAt) {}

    private static final String PLAN = "SELECT clock_timestamp(), next_cutoff FROM bank WHERE bank = ?";

    static Plan plan(Connection connection, String bank) throws SQLException {
        try (var statement = connection.prepareStatement(PLAN)) {
            statement.setString(1, bank);
            try (var row = statement.executeQuery()) {
                row.next();
                return new Plan(row.getObject(1, OffsetDateTime.class).toInstant(), row.getObject(2, OffsetDateTime.class).toInstant());
            }
        }
    }

    private static final String PLAN_NEXT = "UPDATE bank SET next_cutoff = ? WHERE bank = ? AND fence = ?";

    static void planNext(Connection connection, String bank, long fence, Instant next) throws SQLException {
        try (var statement = connection.prepareStatement(PLAN_NEXT)) {
            statement.setObject(1, next.atOffset(ZoneOffset.UTC));
            statement.setString(2, bank);
            statement.setLong(3, fence);
            if (statement.executeUpdate() != 1) {
                throw new Submitter.Fenced(bank);
            }
        }
    }

    private static final String SEAL = "SELECT seal_bank_batch(?, ?, ?, ?, clock_timestamp(), ?, ?, ?, %d)".formatted(MOST_ITEMS);

    /** Empty if nothing waits. */
    static OptionalLong seal(Connection connection, String bank, long fence, PaymentFile.Kind kind, Windows.Window window, String prefix,
                             Instant answerBy)
            throws SQLException {
        try (var statement = connection.prepareStatement(SEAL)) {
            statement.setString(1, bank);
            statement.setLong(2, fence);
            statement.setString(3, kind.tag());
            statement.setString(4, "EUR");
            statement.setObject(5, window.dueOn());
            statement.setString(6, prefix);
            statement.setObject(7, answerBy.atOffset(ZoneOffset.UTC));
            try (var row = statement.executeQuery()) {
                row.next();
                long id = row.getLong(1);
                return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(id);
            }
        }
    }

    private static final String SET_ASIDE = "SELECT set_aside_for_bank(?, ?, ?, ?)";

    /** Gives up items that wait for a file, each for its reason. None of them is ever in one. */
    static void setAside(Connection connection, String bank, long fence, Map<String, String> items) throws SQLException {
        List<Map.Entry<String, String>> each = List.copyOf(items.entrySet());
        try (var statement = connection.prepareStatement(SET_ASIDE)) {
            statement.setString(1, bank);
            statement.setLong(2, fence);
            statement.setArray(3, connection.createArrayOf("text", each.stream().map(Map.Entry::getKey).toArray()));
            statement.setArray(4, connection.createArrayOf("text", each.stream().map(Map.Entry::getValue).toArray()));
            statement.execute();
        }
    }

    private static final String HAS_WORK = """
            SELECT EXISTS (SELECT FROM bank WHERE bank = ? AND next_cutoff <= clock_timestamp())
                OR EXISTS (SELECT FROM bank_batch WHERE bank = ? AND state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming')
                              AND try_at <= clock_timestamp())
            """;

    static boolean hasWork(Connection connection, String bank) throws SQLException {
        try (var statement = connection.prepareStatement(HAS_WORK)) {
            statement.setString(1, bank);
            statement.setString(2, bank);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    private static final String TO_SEND = """
            SELECT batch_id, bank, kind, currency, message_id, file_name, due_on, items, total, state, sha256, coalesce(size, 0), sealed_at,
                   tries, resends
              FROM bank_batch
             WHERE bank = ? AND state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming') AND try_at <= clock_timestamp()
               AND NOT EXISTS (SELECT FROM bank_batch_item AS item WHERE item.batch_id = bank_batch.batch_id AND given_up)
             ORDER BY batch_id LIMIT 100
            """;

    static List<Batch> toSend(Connection connection, String bank) throws SQLException {
        try (var statement = connection.prepareStatement(TO_SEND)) {
            statement.setString(1, bank);
            var batches = new ArrayList<Batch>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    batches.add(new Batch(row.getLong(1), row.getString(2),
                            row.getString(3).equals("debit") ? PaymentFile.Kind.DEBIT : PaymentFile.Kind.CREDIT, row.getString(4),
                            row.getString(5), row.getString(6), row.getObject(7, LocalDate.class), row.getInt(8), row.getLong(9),
                            Batch.State.valueOf(row.getString(10).toUpperCase(Locale.ROOT)), row.getBytes(11), row.getLong(12),
                            row.getObject(13, OffsetDateTime.class).toInstant(), row.getInt(14), row.getInt(15)));
                }
            }
            return batches;
        }
    }

    private static final String RENDERED = "SELECT rendered_bank_batch(?, ?, ?, ?)";

    static void rendered(Connection connection, Batch batch, long fence, byte[] sha256, long size) throws SQLException {
        try (var statement = connection.prepareStatement(RENDERED)) {
            statement.setLong(1, batch.id());
            statement.setLong(2, fence);
            statement.setBytes(3, sha256);
            statement.setLong(4, size);
            mustHaveMoved(statement, batch);
        }
    }

    private static final String MOVE = "SELECT move_bank_batch(?, ?, ?)";

    /** To the next state: the database knows which one is before it. */
    static void move(Connection connection, Batch batch, Batch.State to, long fence) throws SQLException {
        try (var statement = connection.prepareStatement(MOVE)) {
            statement.setLong(1, batch.id());
            statement.setLong(2, fence);
            statement.setString(3, to.tag());
            mustHaveMoved(statement, batch);
        }
    }

    private static void mustHaveMoved(PreparedStatement statement, Batch batch) throws SQLException {
        try (var row = statement.executeQuery()) {
            row.next();
            if (!row.getBoolean(1)) {
                throw new Submitter.Fenced(batch.bank());
            }
        }
    }

    private static final String FAILED = """
            UPDATE bank_batch SET tries = tries + 1, last_error = left(?, 500), try_at = clock_timestamp() + ? * interval '1 millisecond'
             WHERE batch_id = ?
            """;

    static void failed(Connection connection, Batch batch, String why, Duration pause) throws SQLException {
        try (var statement = connection.prepareStatement(FAILED)) {
            statement.setString(1, why.replace('\0', ' '));
            statement.setLong(2, pause.toMillis());
            statement.setLong(3, batch.id());
            statement.executeUpdate();
        }
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
        try (var statement = connection.prepareStatement(LATE)) {
            statement.setString(1, bank);
            var late = new ArrayList<String>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    late.add(row.getString(1));
                }
            }
            return late;
        }
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
        try (var statement = connection.prepareStatement(OLDEST_UNSENT)) {
            statement.setString(1, bank);
            statement.setString(2, bank);
            try (var row = statement.executeQuery()) {
                row.next();
                return Duration.ofMillis(Math.round(row.getDouble(1) * 1_000));
            }
        }
    }

    private static final String ITEMS = """
            SELECT psp_key, payment_id, amount, currency, mandate_id, signed_on, sealed_debtor, remittance
              FROM bank_batch_item JOIN bank_mandate USING (mandate_id) WHERE batch_id = ? ORDER BY item_id
            """;

    /** One item, with what its mandate says sealed. */
    record Item(String key, String payment, long amount, String currency, String mandate, LocalDate signedOn, byte[] sealedDebtor,
            String remittance) {}

    /** Gets each item as soon as it is read. */
    interface Items {
        void add(Item item);
    }

    /** Within a transaction, a thousand rows at a time. */
    static void forEachItem(Connection connection, Batch batch, Items items) throws SQLException {
        try (var statement = connection.prepareStatement(ITEMS)) {
            statement.setFetchSize(1_000);
            statement.setLong(1, batch.id());
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    items.add(new Item(row.getString(1), row.getString(2), row.getLong(3), row.getString(4), row.getString(5),
                            row.getObject(6, LocalDate.class), row.getBytes(7), row.getString(8)));
                }
            }
        }
    }
}
