// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrationsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path later;

    /** A dump holds its lock for hours: a statement that queues for the table would delay each payment behind it. */
    @Test
    void a_migration_that_meets_a_lock_lets_payments_through_and_is_tried_again() throws Exception {
        String url = TestStack.newDatabase();
        assertThat(Migrations.apply(url, "postgres", "")).isOne();
        Files.writeString(later.resolve("V2__a_column.sql"), "ALTER TABLE merchant ADD COLUMN note text");
        try (Connection dump = open(url); Connection payment = open(url); Connection watch = open(url)) {
            dump.setAutoCommit(false);
            execute(dump, "SELECT FROM merchant");
            var migrating = CompletableFuture.supplyAsync(
                    () -> Migrations.apply(url, "postgres", "", "classpath:io/chargeonce/database/migration", "filesystem:" + later));
            Awaitility.await().atMost(PATIENCE).until(() -> waits(watch));
            execute(payment, "INSERT INTO merchant (merchant_id) VALUES ('acme')");
            assertThat(migrating).isNotDone();
            dump.rollback();
            Awaitility.await().atMost(PATIENCE).until(migrating::isDone);
            assertThat(migrating.join()).isOne();
            execute(payment, "UPDATE merchant SET note = 'it is there'");
        }
        assertThat(Migrations.apply(url, "postgres", "", "classpath:io/chargeonce/database/migration", "filesystem:" + later)).isZero();
    }

    private static Connection open(String url) throws SQLException {
        return DriverManager.getConnection(url + "&currentSchema=chargeonce");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static boolean waits(Connection watch) throws SQLException {
        try (var statement = watch.createStatement(); var row = statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'chargeonce.merchant'::regclass")) {
            return row.next() && row.getInt(1) > 0;
        }
    }
}
