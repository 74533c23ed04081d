// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds tables to the audit log, and drops its oldest one when all its records are sealed and older than the retention. The seal that the
 * caller makes in the same transaction must state what was dropped. Its mark is evidence: the database's owner could drop a table too, but
 * cannot make that seal. Any thread.
 */
final class AuditRetention {

    private static final Logger LOG = LoggerFactory.getLogger(AuditRetention.class);

    private final Duration kept;
    private final AuditKeys keys;

    AuditRetention(Duration kept, AuditKeys keys) {
        this.kept = kept;
        this.keys = keys;
    }

    private static final String MAKE_ROOM = "SELECT make_audit_room()";

    /**
     * Runs in a seal's transaction, right before its end, because appends wait for it. A failure here undoes nothing else.
     *
     * @return the last id that this call deleted; empty if none was, or if a lock was not free at once
     */
    Optional<Long> enforce(Connection connection) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try (var statement = connection.createStatement()) {
            statement.execute(MAKE_ROOM);
            Optional<Seal> old = SealTable.olderThan(connection, kept);
            return old.isEmpty() ? Optional.empty() : forget(connection, old.get());
        } catch (SQLException e) {
            connection.rollback(before);
            LOG.warn("The audit log's tables could not be maintained. The log is still sealed", e);
            return Optional.empty();
        }
    }

    private static final String FORGET = "SELECT forget_audit_records(? * interval '1 second', ?, ?)";

    /** Trusts only a seal whose mark is ours: in the database its time and its end could be changed. */
    private Optional<Long> forget(Connection connection, Seal old) throws SQLException {
        if (old.checkMark(keys) != Seal.Mark.RIGHT || old.keyId().isEmpty() != keys.isEmpty()) {
            LOG.warn("No audit records are deleted, because no key of this process made seal {} of {} UTC. If the file has all keys, "
                    + "run dlq audit --verify", old.number(), old.sealedAt());
            return Optional.empty();
        }
        return Optional.ofNullable(
                Sql.one(connection, FORGET, row -> row.getObject(1, Long.class), kept.toSeconds(), old.number(), old.to()));
    }
}
