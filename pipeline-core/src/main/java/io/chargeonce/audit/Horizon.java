// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Up to which id the audit log is final: every record that will ever stand there can be seen by a statement that begins now.
 *
 * <p>Who appends locks the table before it takes an id, and holds the lock until its commit is visible. So a look first reads the
 * last id that was given out and then who holds that lock: a transaction that is not among them takes a higher id, and once all of them are
 * gone nothing can appear below. Only writers of this table count: a dump, a long query or a long transaction about something else
 * holds nothing up. For one thread.
 */
final class Horizon {

    private record Look(long givenOut, Set<String> writers) {}

    /** One whose writers were not gone yet. */
    private Optional<Look> pending = Optional.empty();

    /** As of now; empty where that is not known yet. Asked again and again it comes to know, as long as transactions end. */
    OptionalLong look(Connection connection) throws SQLException {
        long givenOut = givenOut(connection);
        var now = new Look(givenOut, writers(connection));
        if (now.writers.isEmpty()) {
            pending = Optional.empty();
            return OptionalLong.of(givenOut);
        }
        Optional<Look> over = pending.filter(before -> before.writers.stream().noneMatch(now.writers::contains));
        if (over.isPresent() || pending.isEmpty()) {
            pending = Optional.of(now);
        }
        return over.map(look -> OptionalLong.of(look.givenOut)).orElseGet(OptionalLong::empty);
    }

    private static final String GIVEN_OUT = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_record_audit_id_seq";

    static long givenOut(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(GIVEN_OUT); var row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** By the name that no other transaction has; a prepared one keeps it. */
    private static final String WRITERS = """
            SELECT coalesce(array_agg(virtualtransaction), '{}') FROM pg_locks
             WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = 'audit_record'::regclass
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """;

    private static Set<String> writers(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(WRITERS); var row = statement.executeQuery()) {
            row.next();
            return Set.copyOf(List.of((String[]) row.getArray(1).getArray()));
        }
    }
}
