// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.inbound;

import io.chargeonce.bank.xml.BankMessage;
import io.chargeonce.database.Sql;
import io.chargeonce.settlement.BankSaid;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.text.Printable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The rows of files that came from banks, and of their lines. */
final class InboxTable {

    private static final int BATCH = 500;

    /** A file, before it is read. */
    record About(String bank, String name, byte[] sha256, long size) {

        /** Where its bytes are. */
        String bytes() {
            return "in/%s/%s".formatted(bank, HexFormat.of().formatHex(sha256));
        }

        /** Its name, for people. */
        String shown() {
            return Printable.of(name);
        }
    }

    private InboxTable() {}

    private static final String KNOWN = "SELECT whole FROM bank_file_in WHERE bank = ? AND sha256 = ?";

    /** Whether all bytes of a file are here; empty if it is not known. */
    static Optional<Boolean> known(Connection connection, String bank, byte[] sha256) throws SQLException {
        return Sql.first(connection, KNOWN, row -> row.getBoolean(1), bank, sha256);
    }

    private static final String WAS_SAID = """
            SELECT EXISTS (SELECT FROM bank_file_in WHERE bank = ? AND message = ? AND message_id = ? AND quarantined IS NULL)
            """;

    /** Whether the bank has used a message's id before. */
    static boolean wasSaidBefore(Connection connection, String bank, BankMessage message) throws SQLException {
        return Sql.one(connection, WAS_SAID, row -> row.getBoolean(1), bank, message.message(), message.messageId());
    }

    private static final String NEXT_ID = "SELECT nextval('bank_file_number')";

    static long nextId(Connection connection) throws SQLException {
        return Sql.one(connection, NEXT_ID, row -> row.getLong(1));
    }

    private static final String INSERT = """
            INSERT INTO bank_file_in (file_id, bank, file_name, sha256, size, message, message_id, quarantined, whole)
            VALUES (?, ?, left(?, 255), ?, ?, ?, ?, left(?, 500), ?)
            """;

    static void insert(Connection connection, long id, About about, BankMessage message) throws SQLException {
        insert(connection, id, about, Optional.of(message), Optional.empty(), true);
    }

    /** @param whole whether all of its bytes are here */
    static void insertQuarantined(Connection connection, About about, String why, boolean whole) throws SQLException {
        insert(connection, nextId(connection), about, Optional.empty(), Optional.of(why), whole);
    }

    private static void insert(Connection connection, long id, About about, Optional<BankMessage> message, Optional<String> why,
                               boolean whole)
            throws SQLException {
        Sql.update(connection, INSERT, id, about.bank(), about.name(), about.sha256(), about.size(), message.map(BankMessage::message),
                message.map(BankMessage::messageId), why, whole);
    }

    private static final String RELEASED = """
            SELECT file_id, file_name, sha256, size FROM bank_file_in WHERE bank = ? AND quarantined IS NOT NULL AND decided = 'released'
             ORDER BY file_id LIMIT 100
            """;

    /** What a person has released, by its id. */
    static Map<Long, About> released(Connection connection, String bank) throws SQLException {
        var released = new LinkedHashMap<Long, About>();
        Sql.each(connection, RELEASED, row -> released.put(row.getLong(1),
                new About(bank, row.getString(2), row.getBytes(3), row.getLong(4))), bank);
        return released;
    }

    private static final String READ_AGAIN = "SELECT was_read_again(?, ?, ?, ?)";

    /** @param why why it stays set aside; empty if it was read. Returns false if it is not released any more */
    static boolean wasReadAgain(Connection connection, long id, Optional<BankMessage> message, Optional<String> why) throws SQLException {
        return Sql.one(connection, READ_AGAIN, row -> row.getBoolean(1), id, message.map(BankMessage::message),
                message.map(BankMessage::messageId), why);
    }

    private static final String SET_ASIDE = """
            SELECT count(*) FROM bank_file_in WHERE bank = ? AND quarantined IS NOT NULL AND decided IS DISTINCT FROM 'closed'
            """;

    /** How many files of the bank are set aside, and no person has closed them. */
    static int setAside(Connection connection, String bank) throws SQLException {
        return Sql.one(connection, SET_ASIDE, row -> row.getInt(1), bank);
    }

    private static final String REMOVED = "UPDATE bank_file_in SET removed_at = now() WHERE bank = ? AND sha256 = ? AND removed_at IS NULL";

    static void removed(Connection connection, String bank, byte[] sha256) throws SQLException {
        Sql.update(connection, REMOVED, bank, sha256);
    }

    private static final String INSERT_LINE = """
            INSERT INTO bank_line (file_id, bank, kind, psp_key, amount, currency, credit, code, reference, happened_on, mark)
            VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?, ?)
            """;

    /** Inserts lines as they are read, some hundreds at a time. A refusal of Postgres is thrown by {@link #flush}. */
    static final class Lines implements BankMessage.Lines, AutoCloseable {

        private final PreparedStatement statement;
        private final long file;
        private final String bank;
        private final SettlementKeys keys;
        private int count;
        private Optional<SQLException> refused = Optional.empty();

        Lines(Connection connection, long file, String bank, SettlementKeys keys) throws SQLException {
            this.statement = connection.prepareStatement(INSERT_LINE);
            this.file = file;
            this.bank = bank;
            this.keys = keys;
        }

        private BankSaid said(BankMessage.Line line) {
            return new BankSaid(bank, line.kind(), line.endToEndId(), line.amount().map(String::valueOf).orElse(""),
                    line.currency().orElse(""), line.credit().map(String::valueOf).orElse(""), line.code(), line.reference(),
                    line.on().map(String::valueOf).orElse(""));
        }

        @Override
        public void add(BankMessage.Line line) {
            if (refused.isPresent()) {
                return;
            }
            try {
                statement.setLong(1, file);
                statement.setString(2, bank);
                statement.setString(3, line.kind());
                statement.setString(4, line.endToEndId());
                statement.setObject(5, line.amount().orElse(null), java.sql.Types.BIGINT);
                statement.setString(6, line.currency().orElse(null));
                statement.setObject(7, line.credit().orElse(null), java.sql.Types.BOOLEAN);
                statement.setString(8, line.code());
                statement.setString(9, line.reference());
                statement.setObject(10, line.on().orElse(null), java.sql.Types.DATE);
                statement.setBytes(11, keys.mark(said(line)).orElse(null));
                statement.addBatch();
                if (++count % BATCH == 0) {
                    statement.executeBatch();
                }
            } catch (SQLException e) {
                refused = Optional.of(e);
            }
        }

        void flush() throws SQLException {
            if (refused.isPresent()) {
                throw refused.get();
            }
            statement.executeBatch();
        }

        int count() {
            return count;
        }

        @Override
        public void close() throws SQLException {
            statement.close();
        }
    }
}
