// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.bank.store.Debtors;
import io.chargeonce.bank.store.StoredFile;
import io.chargeonce.bank.xml.Creditor;
import io.chargeonce.bank.xml.FileHead;
import io.chargeonce.bank.xml.FileItem;
import io.chargeonce.bank.xml.PaymentFile;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.xml.stream.XMLStreamException;

/** Writes a sealed file's bytes, once: the bytes and the state that says so are one transaction. For one thread. */
final class Render {

    private final Creditor creditor;
    private final Vault vault;

    Render(Creditor creditor, Vault vault) {
        this.creditor = creditor;
        this.vault = vault;
    }

    /** Within a transaction. */
    void render(Connection connection, BankBatch batch, long fence) throws SQLException {
        var counted = new Counted(StoredFile.writer(connection, vault, batch.bytes()));
        MessageDigest digest = sha256();
        try (OutputStream bytes = new DigestOutputStream(counted, digest)) {
            write(connection, batch, bytes);
        } catch (StoredFile.NotStored notStored) {
            throw notStored.sql();
        } catch (IOException | XMLStreamException bug) {
            if (bug.getCause() instanceof StoredFile.NotStored notStored) {
                throw notStored.sql();
            }
            throw new IllegalStateException("Bug! File %s cannot be written".formatted(batch.messageId()), bug);
        }
        BatchTable.rendered(connection, batch, fence, digest.digest(), counted.written);
    }

    private void write(Connection connection, BankBatch batch, OutputStream bytes) throws XMLStreamException, SQLException, IOException {
        var head =
                new FileHead(batch.messageId(), batch.sealedAt(), batch.items(), batch.total(), batch.currency(), batch.dueOn(), creditor);
        PaymentFile file = PaymentFile.begin(batch.kind(), head, bytes);
        BatchTable.forEachItem(connection, batch, item -> {
            try {
                file.add(new FileItem(item.key(), item.payment(), item.amount(), item.currency(), item.mandate(), item.signedOn(),
                        Debtors.open(vault, item.mandate(), item.sealedDebtor()), item.remittance()));
            } catch (XMLStreamException e) {
                throw new UncheckedIOException(new IOException(e));
            }
        });
        file.end();
        bytes.flush();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException bug) {
            throw new IllegalStateException("Bug! Every JDK has SHA-256", bug);
        }
    }

    /** Counts what goes through. */
    private static final class Counted extends OutputStream {

        private final OutputStream to;
        private long written;

        Counted(OutputStream to) {
            this.to = to;
        }

        @Override
        public void write(int one) throws IOException {
            to.write(one);
            written++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            to.write(bytes, from, length);
            written += length;
        }

        @Override
        public void close() throws IOException {
            to.close();
        }
    }
}
