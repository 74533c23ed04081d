// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The rows of seals. They are appended and read, never changed. Every method runs inside its caller's transaction. */
public final class SealTable {

    private static final String COLUMNS = """
            SELECT seal, from_id, to_id, records, encode(rows_sha256, 'hex'), encode(previous, 'hex'), key_id,
                   (sealed_at AT TIME ZONE 'UTC')::text, encode(mark, 'hex'), forgotten_to
              FROM audit_seal
            """;

    private SealTable() {}

    private static final String LAST = COLUMNS + " ORDER BY seal DESC LIMIT 1";

    static Optional<Seal> last(Connection connection) throws SQLException {
        return Sql.first(connection, LAST, SealTable::seal);
    }

    private static final String FORGETTING = COLUMNS + " WHERE forgotten_to IS NOT NULL ORDER BY forgotten_to DESC LIMIT 1";

    /** The seal that states the latest deletion. */
    static Optional<Seal> forgetting(Connection connection) throws SQLException {
        return Sql.first(connection, FORGETTING, SealTable::seal);
    }

    private static final String OLD = COLUMNS + " WHERE sealed_at < now() - ? * interval '1 second' ORDER BY sealed_at DESC LIMIT 1";

    /** The newest seal that is at least this old. */
    static Optional<Seal> olderThan(Connection connection, Duration age) throws SQLException {
        return Sql.first(connection, OLD, SealTable::seal, age.toSeconds());
    }

    private static final String INSERT = """
            INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, previous, key_id, sealed_at, mark, forgotten_to)
            VALUES (?, ?, ?, ?, decode(?, 'hex'), decode(?, 'hex'), ?, ?::timestamp AT TIME ZONE 'UTC', decode(?, 'hex'), ?)
            """;

    static void insert(Connection connection, Seal seal) throws SQLException {
        Sql.update(connection, INSERT, seal.number(), seal.from(), seal.to(), seal.records(), seal.rows(), seal.previous(), seal.keyId(),
                seal.sealedAt(), seal.mark(), seal.forgotten());
    }

    private static final String AFTER = COLUMNS + " WHERE seal > ? ORDER BY seal LIMIT ?";

    static List<Seal> after(Connection connection, long number, int most) throws SQLException {
        return Sql.all(connection, AFTER, SealTable::seal, number, most);
    }

    private static final String NUMBERED = COLUMNS + " WHERE seal = ANY (?)";

    /** The existing seals with these numbers. */
    public static List<Seal> numbered(Connection connection, List<Long> numbers) throws SQLException {
        return Sql.all(connection, NUMBERED, SealTable::seal, connection.createArrayOf("int8", numbers.toArray()));
    }

    private static Seal seal(ResultSet row) throws SQLException {
        return new Seal(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getString(5),
                Optional.ofNullable(row.getString(6)), Optional.ofNullable(row.getObject(10, Long.class)),
                Optional.ofNullable(row.getString(7)), row.getString(8), row.getString(9));
    }
}
