// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.store;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

/**
 * The bytes of one file in Postgres, in parts that are sealed one by one, so that a file of any size takes the memory of one part.
 */
public final class StoredFile {

    private static final int PART = 256 * 1024;

    private StoredFile() {}

    private static final String INSERT = "INSERT INTO bank_file_part (file, part, sealed) VALUES (?, ?, ?)";

    /** Stores what is written to it, within the transaction of its caller. Closing stores the rest. For one thread. */
    public static OutputStream writer(Connection connection, Vault vault, String file) {
        return new Parts(connection, vault, file);
    }

    private static final class Parts extends OutputStream {

        private final Connection connection;
        private final Vault vault;
        private final String file;
        private final byte[] buffer = new byte[PART];
        private int used;
        private int part;

        Parts(Connection connection, Vault vault, String file) {
            this.connection = connection;
            this.vault = vault;
            this.file = file;
        }

        @Override
        public void write(int one) throws IOException {
            if (used == PART) {
                store();
            }
            buffer[used++] = (byte) one;
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            int left = length;
            while (left > 0) {
                if (used == PART) {
                    store();
                }
                int now = Math.min(left, PART - used);
                System.arraycopy(bytes, from + length - left, buffer, used, now);
                used += now;
                left -= now;
            }
        }

        private void store() throws IOException {
            try {
                Sql.update(connection, INSERT, file, part, vault.seal(place(file, part), Arrays.copyOf(buffer, used)));
            } catch (SQLException e) {
                throw new NotStored(e);
            }
            part++;
            used = 0;
        }

        @Override
        public void close() throws IOException {
            if (used > 0) {
                store();
            }
        }
    }

    /** Postgres did not store a part. */
    public static final class NotStored extends IOException {

        private static final long serialVersionUID = 1;

        NotStored(SQLException cause) {
            super(cause);
        }

        public SQLException sql() {
            return (SQLException) getCause();
        }
    }

    private static final String READ = "SELECT sealed FROM bank_file_part WHERE file = ? AND part = ?";

    /** Writes a file's bytes, part by part; no transaction is open meanwhile. */
    public static void copy(Database database, Vault vault, String file, OutputStream to) throws IOException {
        for (int part = 0;; part++) {
            Optional<byte[]> sealed = read(database, file, part);
            if (sealed.isEmpty()) {
                return;
            }
            switch (vault.open(place(file, part), sealed.get())) {
                case Opened.Readable readable -> to.write(readable.bytes());
                case Opened.Closed closed -> throw new IllegalStateException("file %s cannot be opened: %s".formatted(file, closed.why()));
            }
        }
    }

    private static Optional<byte[]> read(Database database, String file, int part) {
        return database.withConnection(connection -> Sql.first(connection, READ, row -> row.getBytes(1), file, part));
    }

    private static String place(String file, int part) {
        return "bank_file_part %s %d".formatted(file, part);
    }
}
