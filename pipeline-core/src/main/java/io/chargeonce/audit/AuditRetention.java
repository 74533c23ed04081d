// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes room for the audit log, and takes away its oldest table when all in it is sealed and older than the retention. What is gone
 * must be told by the seal that its caller makes in the same transaction: under its key that is evidence, and the owner of the
 * database, who may drop a table too, cannot make it. Any thread.
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
     * In the transaction of a seal, right before its end: appends wait for it. A failure here undoes nothing else.
     *
     * @return the last id that is gone by this; empty where nothing is, or a lock could not be had at once
     */
    Optional<Long> enforce(Connection connection) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try (var statement = connection.createStatement()) {
            statement.execute(MAKE_ROOM);
            Optional<Seal> old = SealTable.olderThan(connection, kept);
            return old.isEmpty() ? Optional.empty() : forget(connection, old.get());
        } catch (SQLException e) {
            connection.rollback(before);
            LOG.warn("The audit log's tables could not be looked after. It is sealed all the same", e);
            return Optional.empty();
        }
    }

    private static final String FORGET = "SELECT forget_audit_records(? * interval '1 second', ?, ?)";

    /** By the word of a seal that is ours alone, as its mark has it: in the database its time could be set back, and its end too. */
    private Optional<Long> forget(Connection connection, Seal old) throws SQLException {
        if (old.checkMark(keys) != Seal.Mark.RIGHT || old.keyId().isEmpty() != keys.isEmpty()) {
            LOG.warn("Nothing of the audit log is forgotten, for no key of this process made seal {} of {} UTC. If the file has all keys, "
                    + "run dlq audit --verify", old.number(), old.sealedAt());
            return Optional.empty();
        }
        try (var statement = connection.prepareStatement(FORGET)) {
            statement.setLong(1, kept.toSeconds());
            statement.setLong(2, old.number());
            statement.setLong(3, old.to());
            try (var row = statement.executeQuery()) {
                row.next();
                return Optional.ofNullable(row.getObject(1, Long.class));
            }
        }
    }
}
