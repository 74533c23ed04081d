// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SqlTest {

    private static final Instant NOON = Instant.parse("2026-02-03T12:00:00.123456Z");
    private static Connection connection;

    @BeforeAll
    static void open() throws SQLException {
        connection = DriverManager.getConnection(TestStack.newDatabase(empty -> {}));
        Sql.call(connection, "CREATE TABLE thing (name text, at timestamptz, tags text[], bytes bytea, number bigint)");
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    @Test
    void values_of_each_kind_come_back_as_they_were_bound() throws Exception {
        assertThat(Sql.update(connection, "INSERT INTO thing VALUES (?, ?, ?, ?, ?)", "it's", NOON, List.of("a", "\"b\\"),
                new byte[] {1, 0}, 7L)).isOne();
        record Thing(String name, Instant at, List<String> tags, byte[] bytes, long number) {}
        Thing found = Sql.one(connection, "SELECT * FROM thing WHERE at = ? AND number = ?", row -> new Thing(row.getString(1),
                Sql.instant(row, 2), List.of((String[]) row.getArray(3).getArray()), row.getBytes(4), row.getLong(5)), NOON, 7);
        assertThat(found.name()).isEqualTo("it's");
        assertThat(found.at()).isEqualTo(NOON);
        assertThat(found.tags()).containsExactly("a", "\"b\\");
        assertThat(found.bytes()).containsExactly(1, 0);
    }

    @Test
    void nothing_is_null_whether_empty_or_null() throws Exception {
        assertThat(Sql.update(connection, "INSERT INTO thing (name, at, number) VALUES (?, ?, ?)", "null", Optional.empty(), null)).isOne();
        Instant none = Sql.one(connection, "SELECT at FROM thing WHERE name = ?", row -> Sql.instant(row, 1), Optional.of("null"));
        assertThat(none).isNull();
        assertThat(Sql.any(connection, "SELECT FROM thing WHERE name = 'null' AND number IS NULL")).isTrue();
        assertThat(Sql.any(connection, "SELECT FROM thing WHERE name = ?", (Object) null)).isFalse();
    }

    @Test
    void rows_come_in_order_and_a_missing_one_is_empty_or_a_bug() throws Exception {
        String numbers = "SELECT n FROM generate_series(1, ?) n ORDER BY n DESC";
        assertThat(Sql.all(connection, numbers, row -> row.getInt(1), 3)).containsExactly(3, 2, 1);
        assertThat(Sql.first(connection, numbers, row -> row.getInt(1), 3)).contains(3);
        assertThat(Sql.first(connection, numbers, row -> row.getInt(1), 0)).isEmpty();
        assertThatThrownBy(() -> Sql.one(connection, numbers, row -> row.getInt(1), 0)).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void columns_stand_between_other_values_and_each_row_is_taken_in_order() throws Exception {
        record Named(String name, byte[] bytes) {}
        List<Named> named = List.of(new Named("a", new byte[] {1}), new Named("b", null), new Named("c", new byte[0]));
        String sql = """
                SELECT ?::text || name || coalesce(encode(bytes, 'hex'), '-')
                  FROM unnest(?::text[], ?::bytea[]) AS row (name, bytes) WHERE name <> ? ORDER BY name
                """;
        for (int atOnce = 0; atOnce < 2; atOnce++) {
            var taken = new ArrayList<String>();
            Sql.each(connection, atOnce, sql, row -> taken.add(row.getString(1)), "x",
                    Columns.of(named).with("text", Named::name).with("bytea", Named::bytes), "c");
            assertThat(taken).containsExactly("xa01", "xb-");
        }
    }
}
