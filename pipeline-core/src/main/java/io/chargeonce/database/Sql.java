// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Runs a statement with its values. Values are bound in order: an {@code Instant} as timestamptz, a collection of texts as text[], an empty
 * {@code Optional} as null, {@link Columns} as a parameter for each, everything else as the driver binds it.
 */
public final class Sql {

    private Sql() {}

    /** Reads the row that the result stands at. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Takes the row that the result stands at. */
    @FunctionalInterface
    public interface EachRow {
        void take(ResultSet row) throws SQLException;
    }

    /** Takes every row, in the statement's order. */
    public static void each(Connection connection, String sql, EachRow each, Object... values) throws SQLException {
        each(connection, 0, sql, each, values);
    }

    /**
     * The same for results of any length.
     *
     * @param atOnce how many rows a transaction has in memory; 0 for all
     */
    public static void each(Connection connection, int atOnce, String sql, EachRow each, Object... values) throws SQLException {
        try (var statement = prepare(connection, sql, values)) {
            statement.setFetchSize(atOnce);
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    each.take(result);
                }
            }
        }
    }

    /** @return every row, in the statement's order */
    public static <T> List<T> all(Connection connection, String sql, Row<T> row, Object... values) throws SQLException {
        try (var statement = prepare(connection, sql, values); var result = statement.executeQuery()) {
            var rows = new ArrayList<T>();
            while (result.next()) {
                rows.add(row.read(result));
            }
            return rows;
        }
    }

    /** @return the first row, which must not be read as null; empty if there is none */
    public static <T> Optional<T> first(Connection connection, String sql, Row<T> row, Object... values) throws SQLException {
        try (var statement = prepare(connection, sql, values); var result = statement.executeQuery()) {
            return result.next() ? Optional.of(row.read(result)) : Optional.empty();
        }
    }

    /**
     * For statements that always have a row.
     *
     * @return the first row as read, perhaps null
     * @throws NoSuchElementException if there is none
     */
    public static <T> T one(Connection connection, String sql, Row<T> row, Object... values) throws SQLException {
        try (var statement = prepare(connection, sql, values); var result = statement.executeQuery()) {
            if (!result.next()) {
                throw new NoSuchElementException("Bug! No row for: " + sql);
            }
            return row.read(result);
        }
    }

    /** @return whether there is any row */
    public static boolean any(Connection connection, String sql, Object... values) throws SQLException {
        return first(connection, sql, row -> true, values).isPresent();
    }

    /** @return how many rows were changed */
    public static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (var statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** For a function that is called for what it does. */
    public static void call(Connection connection, String sql, Object... values) throws SQLException {
        try (var statement = prepare(connection, sql, values)) {
            statement.execute();
        }
    }

    /** @return the column's time, or null */
    public static Instant instant(ResultSet row, int column) throws SQLException {
        return instant(row.getObject(column, OffsetDateTime.class));
    }

    /** @return the column's time, or null */
    public static Instant instant(ResultSet row, String column) throws SQLException {
        return instant(row.getObject(column, OffsetDateTime.class));
    }

    private static Instant instant(OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    /** The statement is the caller's to close. */
    private static PreparedStatement prepare(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            int next = 1;
            for (Object value : values) {
                if (value instanceof Columns<?> columns) {
                    next = columns.bind(statement, next);
                } else {
                    bind(statement, next++, value);
                }
            }
            return statement;
        } catch (SQLException | RuntimeException failed) {
            statement.close();
            throw failed;
        }
    }

    private static void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        switch (value) {
            case Optional<?> optional -> bind(statement, index, optional.orElse(null));
            case Instant time -> statement.setObject(index, OffsetDateTime.ofInstant(time, ZoneOffset.UTC));
            case Collection<?> texts -> statement.setArray(index, statement.getConnection().createArrayOf("text", texts.toArray()));
            case null, default -> statement.setObject(index, value);
        }
    }
}
