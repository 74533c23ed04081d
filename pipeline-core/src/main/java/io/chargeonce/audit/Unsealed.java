// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Records that no seal covers yet.
 *
 * @param records       how many
 * @param oldestSeconds the age of the oldest by Postgres's clock; 0 if there is none
 */
public record Unsealed(long records, double oldestSeconds) {

    private static final String OLDEST = """
            SELECT 0, coalesce((SELECT extract(epoch FROM clock_timestamp() - at) FROM audit_record
                              WHERE audit_id > coalesce((SELECT to_id FROM audit_seal ORDER BY seal DESC LIMIT 1), 0)
                              ORDER BY audit_id LIMIT 1), 0)
            """;

    /** Reads only the age, which is fast. */
    static Unsealed read(Connection connection) throws SQLException {
        return read(connection, OLDEST);
    }

    private static final String COUNTED = """
            SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0) FROM audit_record
             WHERE audit_id > coalesce((SELECT to_id FROM audit_seal ORDER BY seal DESC LIMIT 1), 0)
            """;

    /** Also counts the records, which reads all of them. */
    static Unsealed count(Connection connection) throws SQLException {
        return read(connection, COUNTED);
    }

    private static Unsealed read(Connection connection, String sql) throws SQLException {
        return Sql.one(connection, sql, row -> new Unsealed(row.getLong(1), Math.max(0, row.getDouble(2))));
    }
}
