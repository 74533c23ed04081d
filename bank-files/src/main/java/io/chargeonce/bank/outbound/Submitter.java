// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.outbound;

import io.chargeonce.database.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes this process the only one that submits to a bank, for one pass. The lock keeps others out while it lasts; the fence, raised each
 * time, keeps this one out if its lock was lost while it slept. Any thread.
 */
public final class Submitter {

    /** Work of the only submitter. */
    public interface Pass {
        int run(long fence) throws SQLException;
    }

    /** Another process has become the submitter, so this one must stop. */
    public static final class Fenced extends RuntimeException {

        private static final long serialVersionUID = 1;

        Fenced(String bank) {
            super("another process submits to %s now".formatted(bank));
        }
    }

    private Submitter() {}

    private static final String LOCK = "SELECT pg_try_advisory_lock(hashtextextended('chargeonce bank ' || ?, 0))";
    private static final String UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('chargeonce bank ' || ?, 0))";
    private static final String RAISE = "UPDATE bank SET fence = fence + 1, told_at = now() WHERE bank = ? RETURNING fence";

    /**
     * Empty if another process is the submitter now, or {@link Outbound} has not registered the bank yet. The connection that holds the
     * lock has no transaction open.
     */
    public static Optional<Integer> alone(Database database, String bank, Pass pass) {
        return database.withConnection(connection -> {
            if (!isTrue(connection, LOCK, bank)) {
                return Optional.empty();
            }
            try {
                OptionalLong fence = raise(connection, bank);
                return fence.isPresent() ? Optional.of(pass.run(fence.getAsLong())) : Optional.empty();
            } finally {
                isTrue(connection, UNLOCK, bank);
            }
        });
    }

    private static boolean isTrue(Connection connection, String sql, String bank) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            statement.setString(1, bank);
            try (var row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private static OptionalLong raise(Connection connection, String bank) throws SQLException {
        try (var statement = connection.prepareStatement(RAISE)) {
            statement.setString(1, bank);
            try (var row = statement.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }
}
