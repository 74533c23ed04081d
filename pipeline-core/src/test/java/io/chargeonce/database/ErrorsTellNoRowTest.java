// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.chargeonce.sandbox.TestStack;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When Postgres refuses a row, its Detail and the values of a batch are in no error and so in no log. */
class ErrorsTellNoRowTest {

    private static final String CUSTOMER = "jane.roe@example.com";
    private static final List<String> REFUSED = List.of(
            "INSERT INTO customer VALUES (2, 'jane.roe@example.com', 1)", "INSERT INTO customer VALUES (3, 'jane.roe@example.com', -1)",
            "INSERT INTO customer SELECT 4, 'jane.roe@example.com', NULL");

    private static void prepare(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS chargeonce");
            statement.execute("CREATE TABLE customer (id int PRIMARY KEY, email text UNIQUE, amount int NOT NULL CHECK (amount > 0))");
            statement.execute("INSERT INTO customer VALUES (1, 'jane.roe@example.com', 1)");
        }
    }

    private static void insertBatch(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement("INSERT INTO customer VALUES (?, ?, ?)")) {
            for (int id = 10; id < 12; id++) {
                statement.setInt(1, id);
                statement.setString(2, CUSTOMER);
                statement.setInt(3, 1);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private static String told(Throwable error) {
        var text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void a_row_that_is_refused_is_not_in_the_error() {
        String url = TestStack.newDatabase();
        try (var service = Database.openForService(url, "postgres", "", 2); var command = Database.openForCommand(url, "postgres", "")) {
            command.inTransaction(connection -> {
                prepare(connection);
                return null;
            });
            for (Database database : List.of(service, command)) {
                for (String sql : REFUSED) {
                    DatabaseRefused refused = catchThrowableOfType(DatabaseRefused.class, () -> database.inTransaction(
                            connection -> connection.createStatement().execute(sql)));
                    assertThat(refused.isAboutTheRow()).isTrue();
                    assertThat(told(refused)).contains("violates").doesNotContain("jane", "Detail");
                }
                assertThat(told(catchThrowableOfType(DatabaseRefused.class, () -> database.inTransaction(connection -> {
                    insertBatch(connection);
                    return null;
                })))).contains("violates").doesNotContain("jane", "Detail");
            }
        }
    }
}
