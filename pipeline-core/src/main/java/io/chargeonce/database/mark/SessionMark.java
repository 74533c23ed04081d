// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.mark;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A number that stands for a session of Postgres while it lasts, so that a row can say which session holds what. The session holds an
 * advisory lock of that number. Any login may hold advisory locks, so a lock alone proves nothing: no session can guess the number before
 * it is taken, and afterwards it counts only for a login that may write the rows. One thread.
 */
public final class SessionMark {

    /** No session's. */
    public static final int NONE = 0;
    /** The first number of our advisory locks, which have two. */
    private static final int LOCK_CLASS = 0x0c4a;

    private SessionMark() {}

    private static final String TAKE = """
            WITH drawn AS MATERIALIZED (SELECT 1 + floor(random() * 2147483646)::int AS mark)
            SELECT mark FROM drawn WHERE pg_try_advisory_lock(%d, mark)
            """.formatted(LOCK_CLASS);

    /** The mark of this connection's session from now on, until {@link #end}. */
    public static int begin(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(TAKE)) {
            while (true) {
                try (var row = statement.executeQuery()) {
                    if (row.next()) {
                        return row.getInt(1);
                    }
                }
            }
        }
    }

    private static final String END = "SELECT pg_advisory_unlock(%d, ?)".formatted(LOCK_CLASS);

    public static void end(Connection connection, int mark) throws SQLException {
        try (var statement = connection.prepareStatement(END)) {
            statement.setInt(1, mark);
            statement.execute();
        }
    }

    /**
     * A query of the marks of living sessions. A prepared transaction has no session, and of no pid Postgres would name them all.
     *
     * @param table whose rows their logins may update
     */
    public static String living(String table) {
        return """
                SELECT objid::bigint::int AS mark
                  FROM pg_locks, LATERAL pg_stat_get_activity(pg_locks.pid) AS session
                 WHERE locktype = 'advisory' AND classid = %d AND objsubid = 2 AND granted AND mode = 'ExclusiveLock'
                   AND pg_locks.pid IS NOT NULL
                   AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                   AND has_any_column_privilege(session.usesysid, 'chargeonce.%s', 'UPDATE')
                """.formatted(LOCK_CLASS, table);
    }
}
