// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.sftp.BankSession;
import io.chargeonce.bank.store.StoredFile;
import io.chargeonce.database.Database;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.OptionalLong;

/**
 * Takes one rendered file to the bank: to a temporary name, then its size is looked at, then a plain rename. Each state is written
 * before its step. After a crash or a lost answer the next pass looks at the bank what is there: a temporary file that is still there
 * was not renamed, and one that is gone was. For one thread.
 */
final class Send {

    /** What is at the bank does not fit what is known here, and a person has to look. */
    static final class Strange extends IOException {

        private static final long serialVersionUID = 1;

        Strange(String what) {
            super(what);
        }
    }

    /** Writes a new state; throws if another process submits now. */
    interface Moves {
        void to(BankBatch.State next);
    }

    private final Database database;
    private final Vault vault;
    private final BankSession bank;

    Send(Database database, Vault vault, BankSession bank) {
        this.database = database;
        this.vault = vault;
        this.bank = bank;
    }

    /** From its state on. Returns once the file has its name at the bank. */
    void send(BankBatch batch, Moves moves) throws IOException {
        BankBatch.State state = batch.state();
        while (state != BankBatch.State.SENT) {
            BankBatch.State next = switch (state) {
                case SEALED, SENT -> throw new IllegalStateException("Bug! File %s is %s".formatted(batch.messageId(), state.tag()));
                case RENDERED -> BankBatch.State.UPLOADING;
                case UPLOADING -> {
                    upload(batch);
                    yield BankBatch.State.UPLOADED;
                }
                case UPLOADED -> BankBatch.State.RENAMING;
                case RENAMING -> {
                    rename(batch);
                    yield BankBatch.State.SENT;
                }
            };
            moves.to(next);
            state = next;
        }
    }

    /** From the first byte each time: what a broken upload left is overwritten. */
    private void upload(BankBatch batch) throws IOException {
        MessageDigest digest = Render.sha256();
        try (OutputStream out = new DigestOutputStream(bank.write(batch.temporaryName()), digest)) {
            StoredFile.copy(database, vault, batch.bytes(), out);
        }
        if (!MessageDigest.isEqual(digest.digest(), batch.sha256())) {
            throw new Strange("the stored bytes of %s are not those that were rendered".formatted(batch.fileName()));
        }
        OptionalLong size = bank.size(batch.temporaryName());
        if (size.isEmpty() || size.getAsLong() != batch.size()) {
            throw new IOException("the bank has %s bytes of %s, and it has %d".formatted(size.isEmpty() ? "no" : size.getAsLong(),
                    batch.temporaryName(), batch.size()));
        }
    }

    private void rename(BankBatch batch) throws IOException {
        if (bank.size(batch.temporaryName()).isEmpty()) {
            // The rename happened, and its answer was lost.
            return;
        }
        OptionalLong there = bank.size(batch.fileName());
        if (there.isEmpty()) {
            bank.rename(batch.temporaryName(), batch.fileName());
        } else if (batch.resends() > 0 && there.getAsLong() == batch.size()) {
            // The bank has not fetched the first copy yet, and needs no second.
            bank.removeOurs(batch.temporaryName());
        } else {
            throw new Strange(
                    "the bank has a file %s that is not from this upload; remove it there, or ask the bank".formatted(batch.fileName()));
        }
    }
}
