// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;

/** A read-only look at the database: one snapshot for everything, streamed row by row. For one thread. */
public final class DatabaseRows implements AutoCloseable {

    public interface Reader {
        void read(ResultSet row) throws SQLException;
    }

    private static final int ROWS_PER_FETCH = 5_000;

    private final Connection connection;

    private DatabaseRows(Connection connection) {
        this.connection = connection;
    }

    public static DatabaseRows open(Sources sources) {
        try {
            Connection connection = sources.database();
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return new DatabaseRows(connection);
        } catch (SQLException e) {
            throw new EvidenceMissing(
                    "Postgres cannot be asked (%s): start it, or correct CHARGEONCE_DATABASE_URL".formatted(e.getMessage()), e);
        }
    }

    public void each(String sql, Reader reader) {
        try (var statement = connection.prepareStatement(sql)) {
            read(statement, reader);
        } catch (SQLException e) {
            throw new EvidenceMissing("Postgres did not answer: " + e.getMessage(), e);
        }
    }

    /** @param ids take the place of the statement's only parameter */
    public void each(String sql, Object[] ids, Reader reader) {
        try (var statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("text", ids));
            read(statement, reader);
        } catch (SQLException e) {
            throw new EvidenceMissing("Postgres did not answer: " + e.getMessage(), e);
        }
    }

    private static void read(java.sql.PreparedStatement statement, Reader reader) throws SQLException {
        statement.setFetchSize(ROWS_PER_FETCH);
        try (var result = statement.executeQuery()) {
            while (result.next()) {
                reader.read(result);
            }
        }
    }

    public static long micros(ResultSet row, String column) throws SQLException {
        return micros(row.getObject(column, OffsetDateTime.class).toInstant());
    }

    public static long micros(Instant time) {
        return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1_000);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new EvidenceMissing("the connection to Postgres did not close: " + e.getMessage(), e);
        }
    }
}
