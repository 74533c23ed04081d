// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.inbound;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.store.StoredFile;
import io.chargeonce.database.Database;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads again what a person has released from the quarantine, from the bytes that are kept here. For one thread. */
final class ReleasedFiles {

    private static final Logger LOG = LoggerFactory.getLogger(ReleasedFiles.class);

    private final BankAccount account;
    private final Database database;
    private final Vault vault;
    private final TakeFile takeFile;

    ReleasedFiles(BankAccount account, Database database, Vault vault, TakeFile takeFile) {
        this.account = account;
        this.database = database;
        this.vault = vault;
        this.takeFile = takeFile;
    }

    /** One look. Returns how many were read. One that cannot be read now keeps no other from it. */
    int runOnce() {
        int read = 0;
        for (var each : database.withConnection(connection -> InboxTable.released(connection, account.name())).entrySet()) {
            try {
                read += read(each.getKey(), each.getValue()) ? 1 : 0;
            } catch (IOException | RuntimeException e) {
                LOG.error("ALERT: file {} of {} is released and could not be read again; it is tried at the next look",
                        each.getValue().shown(), account.name(), e);
            }
        }
        return read;
    }

    private boolean read(long id, InboxTable.About about) throws IOException {
        Path local = Files.createTempFile("chargeonce-bank", ".xml");
        try {
            try (OutputStream to = Files.newOutputStream(local)) {
                StoredFile.copy(database, vault, about.bytes(), to);
            }
            TakeFile.Result result = MessageDigest.isEqual(TakeFile.sha256(local), about.sha256()) ? takeFile.again(id, about.name(), local)
                    : takeFile.stays(id, about.name(), new TakeFile.Result.Quarantined("its bytes are not here any more", true));
            return switch (result) {
                case TakeFile.Result.Read read -> {
                    LOG.info("File {} of {} was released and is read: {} lines", about.shown(), account.name(), read.lines());
                    yield true;
                }
                case TakeFile.Result.Quarantined strange -> {
                    LOG.error("ALERT: file {} of {} was released and is set aside again: {}; see bank unmatched", about.shown(),
                            account.name(), strange.why());
                    yield false;
                }
                case TakeFile.Result.Later later -> {
                    LOG.info("File {} of {} waits: {}", about.shown(), account.name(), later.why());
                    yield false;
                }
                case TakeFile.Result.Known known -> throw new IllegalStateException("Bug! A released file is always known");
            };
        } finally {
            Files.deleteIfExists(local);
        }
    }
}
