// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds the id up to which the audit log is final: a statement that starts now sees every record that will ever be at or below it.
 *
 * <p>A writer locks the table before it takes an id, and holds the lock until its commit is visible. So each pass first reads the last id
 * that was given out and then who holds that lock. A transaction that is not among the holders takes a higher id, and once all holders have
 * ended nothing can appear below. Only writers of this table count: a dump, a long query or a long transaction on other tables delays
 * nothing. For one thread.
 */
final class AuditWatermark {

    private record Pass(long givenOut, Set<String> writers) {}

    /** A pass whose writers had not all ended. */
    private Optional<Pass> pending = Optional.empty();

    /** The final id as of now; empty if it is not known yet. Repeated calls find it, as long as transactions end. */
    OptionalLong advance(Connection connection) throws SQLException {
        long givenOut = givenOut(connection);
        var now = new Pass(givenOut, writers(connection));
        if (now.writers.isEmpty()) {
            pending = Optional.empty();
            return OptionalLong.of(givenOut);
        }
        Optional<Pass> over = pending.filter(before -> before.writers.stream().noneMatch(now.writers::contains));
        if (over.isPresent() || pending.isEmpty()) {
            pending = Optional.of(now);
        }
        return over.map(pass -> OptionalLong.of(pass.givenOut)).orElseGet(OptionalLong::empty);
    }

    private static final String GIVEN_OUT = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM audit_record_audit_id_seq";

    static long givenOut(Connection connection) throws SQLException {
        return Sql.one(connection, GIVEN_OUT, row -> row.getLong(1));
    }

    /** By the virtual transaction id, which is unique; a prepared transaction keeps it. */
    private static final String WRITERS = """
            SELECT coalesce(array_agg(virtualtransaction), '{}') FROM pg_locks
             WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND relation = 'audit_record'::regclass
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """;

    static Set<String> writers(Connection connection) throws SQLException {
        return Sql.one(connection, WRITERS, row -> Set.copyOf(List.of((String[]) row.getArray(1).getArray())));
    }
}
