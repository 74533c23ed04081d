// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Settings;
import io.chargeonce.sandbox.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services and commands go on with a new password without a restart. */
class ChangedPasswordTest {

    private static String ask(String url, String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            return statement.execute(sql) && statement.getResultSet().next() ? statement.getResultSet().getString(1) : "";
        }
    }

    private static Path password(Path directory, String text) throws Exception {
        return Files.setPosixFilePermissions(Files.writeString(directory.resolve("password"), text),
                PosixFilePermissions.fromString("rw-------"));
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
    void the_next_connection_uses_the_password_that_the_file_has_then(@TempDir Path directory) throws Exception {
        Path file = password(directory, "old");
        PipelineSettings settings = Settings.load(Map.of("CHARGEONCE_DATABASE_PASSWORD_FILE", file.toString()), PipelineSettings.ALL,
                PipelineSettings.ALL).read(PipelineSettings::from);
        try (var postgres = PostgresServer.startTemporary()) {
            String url = postgres.jdbcUrl();
            ask(url, "CREATE ROLE paid LOGIN PASSWORD 'old'");
            ask(url, "CREATE SCHEMA IF NOT EXISTS chargeonce");
            Path rules = Path.of(ask(url, "SHOW hba_file"));
            Files.writeString(rules, "host all paid 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
            ask(url, "SELECT pg_reload_conf()");
            await().until(() -> ask(url, "SELECT count(*) FROM pg_hba_file_rules").equals("2"));
            String bare = url.replaceAll("\\?.*", "");
            try (var database = Database.openForService(bare, "paid", settings.databasePassword(), 2);
                 var command = Database.openForCommand(bare, "paid", settings.databasePassword())) {
                assertThat(one(database)).isEqualTo(1);
                assertThat(one(command)).isEqualTo(1);
                ask(url, "ALTER ROLE paid PASSWORD 'new'");
                password(directory, "new");
                assertThat(one(database)).as("open connections stay").isEqualTo(1);
                ask(url, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'paid'");
                assertThat(catchThrowable(() -> one(command))).as("a command is cut off once").satisfiesAnyOf(
                        cut -> assertThat(cut).isNull(), cut -> assertThat(cut).isInstanceOf(DatabaseUnavailable.class));
                assertThat(one(command)).isEqualTo(1);
                await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> one(database) == 1);
            }
        }
    }
}
