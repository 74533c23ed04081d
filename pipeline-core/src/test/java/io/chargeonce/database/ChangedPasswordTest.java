// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.sandbox.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A service goes on with a new password without a restart. */
class ChangedPasswordTest {

    private static String ask(String url, String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            return statement.execute(sql) && statement.getResultSet().next() ? statement.getResultSet().getString(1) : "";
        }
    }

    private static int one(Database database) {
        return database.withConnection(connection -> {
            try (var row = connection.createStatement().executeQuery("SELECT 1")) {
                row.next();
                return row.getInt(1);
            }
        });
    }

    @Test
    void the_next_connection_uses_the_password_of_now() throws Exception {
        try (var postgres = PostgresServer.startTemporary()) {
            String url = postgres.jdbcUrl();
            ask(url, "CREATE ROLE paid LOGIN PASSWORD 'old'");
            ask(url, "CREATE SCHEMA IF NOT EXISTS chargeonce");
            Path rules = Path.of(ask(url, "SHOW hba_file"));
            Files.writeString(rules, "host all paid 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
            ask(url, "SELECT pg_reload_conf()");
            await().until(() -> ask(url, "SELECT count(*) FROM pg_hba_file_rules").equals("2"));
            var password = new AtomicReference<>("old");
            String bare = url.replaceAll("\\?.*", "");
            try (var database = Database.openForService(bare, "paid", password::get, 2)) {
                assertThat(one(database)).isEqualTo(1);
                ask(url, "ALTER ROLE paid PASSWORD 'new'");
                password.set("new");
                assertThat(one(database)).as("open connections stay").isEqualTo(1);
                ask(url, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'paid'");
                await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> one(database) == 1);
            }
        }
    }
}
