// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.inbound;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.store.StoredFile;
import io.chargeonce.bank.xml.BankMessage;
import io.chargeonce.bank.xml.BankMessage.FileStatus;
import io.chargeonce.bank.xml.BankMessageReader;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.vault.Vault;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes one file of a bank in one transaction: its bytes, its row, and every line once. The same bytes are taken once, and so is the same
 * message. What cannot be read, or contradicts what was read before, is kept and set aside. For one thread.
 */
final class TakeFile {

    /** What became of a file. */
    sealed interface Result {

        record Read(int lines) implements Result {}

        /**
         * The same bytes were taken before.
         *
         * @param whole whether all of the file is here
         */
        record Known(boolean whole) implements Result {}

        /** @param whole whether all of it is here */
        record Quarantined(String why, boolean whole) implements Result {}

        /** It answers a file that is still on its way. */
        record Later(String why) implements Result {}
    }

    private final BankAccount account;
    private final Database database;
    private final Vault vault;
    private final SettlementKeys keys;

    TakeFile(BankAccount account, Database database, Vault vault, SettlementKeys keys) {
        this.account = account;
        this.database = database;
        this.vault = vault;
        this.keys = keys;
    }

    /** @param problem why it is not even looked into */
    Result take(String name, Path file, Optional<String> problem) throws IOException {
        byte[] sha256 = sha256(file);
        long size = Files.size(file);
        Optional<Boolean> known = database.withConnection(connection -> InboxTable.known(connection, account.name(), sha256));
        if (known.isPresent()) {
            return new Result.Known(known.get());
        }
        var about = new InboxTable.About(account.name(), name, sha256, size);
        if (problem.isEmpty()) {
            try {
                return database.inTransaction(connection -> {
                    long id = InboxTable.nextId(connection);
                    Result.Read read = read(connection, id, file, message -> InboxTable.insert(connection, id, about, message));
                    store(connection, about, file);
                    return read;
                });
            } catch (Refused refused) {
                // The transaction took nothing of it.
                return refused.result instanceof Result.Quarantined strange ? setAside(about, file, strange) : refused.result;
            }
        }
        return setAside(about, file, new Result.Quarantined(problem.get(), false));
    }

    /** A file that is set aside, and that a person has released: with the same checks as at first. */
    Result again(long id, String name, Path file) {
        try {
            return database.inTransaction(connection -> read(connection, id, file,
                    message -> mustBeReleased(id, InboxTable.wasReadAgain(connection, id, Optional.of(message), Optional.empty()))));
        } catch (Refused refused) {
            if (refused.result instanceof Result.Quarantined strange) {
                return stays(id, name, strange);
            }
            return refused.result;
        }
    }

    /** It cannot be read, and stays set aside. */
    Result stays(long id, String name, Result.Quarantined strange) {
        return database.inTransaction(connection -> {
            mustBeReleased(id, InboxTable.wasReadAgain(connection, id, Optional.empty(), Optional.of(strange.why())));
            AuditLog.append(connection, List.of(entry("bank.quarantined", name, Map.of("bank", account.name(), "why", strange.why()))));
            return strange;
        });
    }

    private static void mustBeReleased(long id, boolean released) {
        if (!released) {
            throw new IllegalStateException("file %d is not released any more".formatted(id));
        }
    }

    /** Writes what a file is. */
    private interface Writes {
        void row(BankMessage message) throws SQLException;
    }

    private static final class Refused extends RuntimeException {

        private static final long serialVersionUID = 1;
        private final transient Result result;

        Refused(Result result) {
            super(null, null, false, false);
            this.result = result;
        }
    }

    private Result.Read read(Connection connection, long id, Path file, Writes writes) throws SQLException {
        try (var lines = new InboxTable.Lines(connection, id, account.name(), keys); InputStream bytes = open(file)) {
            BankMessage message = BankMessageReader.read(bytes, lines);
            lines.flush();
            if (InboxTable.wasSaidBefore(connection, account.name(), message)) {
                throw quarantine("the bank has used the id %s for another message before".formatted(message.messageId()));
            }
            if (message.status().isPresent()) {
                apply(connection, id, message.status().get(), lines);
            }
            lines.flush();
            writes.row(message);
            audit(connection, id, message, lines.count());
            return new Result.Read(lines.count());
        } catch (BankMessage.Unreadable unreadable) {
            throw quarantine(unreadable.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Refused quarantine(String why) {
        return new Refused(new Result.Quarantined(why, true));
    }

    private void apply(Connection connection, long file, FileStatus status, BankMessage.Lines lines) throws SQLException {
        switch (FileAnswer.apply(connection, account, file, status, lines)) {
            case FileAnswer.Applied applied -> {
            }
            case FileAnswer.NotYet notYet -> throw new Refused(new Result.Later(notYet.why()));
            case FileAnswer.Contradicts strange -> throw quarantine(strange.why());
        }
    }

    private Result setAside(InboxTable.About about, Path file, Result.Quarantined strange) {
        return database.inTransaction(connection -> {
            InboxTable.insertQuarantined(connection, about, strange.why(), strange.whole());
            store(connection, about, file);
            AuditLog.append(connection,
                    List.of(entry("bank.quarantined", about.name(), Map.of("bank", account.name(), "why", strange.why()))));
            return strange;
        });
    }

    private void store(Connection connection, InboxTable.About about, Path file) throws SQLException {
        try (OutputStream parts = StoredFile.writer(connection, vault, about.bytes())) {
            Files.copy(file, parts);
        } catch (StoredFile.NotStored notStored) {
            throw notStored.sql();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** It is gone at the bank. */
    void removed(byte[] sha256) {
        database.inTransaction(connection -> {
            InboxTable.removed(connection, account.name(), sha256);
            return true;
        });
    }

    private void audit(Connection connection, long id, BankMessage message, int lines) throws SQLException {
        AuditLog.append(connection, List.of(entry("bank.read", Long.toString(id),
                Map.of("bank", account.name(), "message", message.message(), "id", message.messageId(), "lines", lines))));
    }

    private static AuditLog.Entry entry(String action, String resource, Map<String, ?> data) {
        return new AuditLog.Entry("bank-files", action, Optional.empty(), "bank_file_in", resource, Optional.empty(), data);
    }

    private static InputStream open(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file));
    }

    static byte[] sha256(Path file) throws IOException {
        try (InputStream bytes = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[64 * 1024];
            for (int read = bytes.read(buffer); read >= 0; read = bytes.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException bug) {
            throw new IllegalStateException("Bug! Every JDK has SHA-256", bug);
        }
    }
}
