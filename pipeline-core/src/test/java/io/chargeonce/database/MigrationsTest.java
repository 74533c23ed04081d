// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    private static final String COLLATED = """
            SELECT DISTINCT indrelid::regclass || ' (' || indexrelid::regclass || '): ' || collname
              FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                   CROSS JOIN LATERAL unnest(indcollation::oid[]) AS used (collation_oid)
                   JOIN pg_collation ON pg_collation.oid = collation_oid
             WHERE relnamespace = 'chargeonce'::regnamespace AND collname <> 'C' AND indrelid::regclass::text <> 'flyway_schema_history'
            """;

    /** Such an index is out of order after the library's upgrade: then a unique one takes a key that it holds already. */
    @Test
    void no_index_depends_on_a_library_that_orders_text() throws Exception {
        String url = withIcu(TestStack.newDatabase());
        Migrations.apply(url, "postgres", "");
        try (Connection connection = open(url); var statement = connection.createStatement();
             var row = statement.executeQuery(COLLATED)) {
            var found = new ArrayList<String>();
            while (row.next()) {
                found.add(row.getString(1));
            }
            assertThat(found).isEmpty();
        }
    }

    /** Java sorts the keys of a batch by their characters, and a statement that locks rows must take them in the same order. */
    @Test
    void rows_are_ordered_by_their_ids_as_java_orders_them_under_any_collation() throws Exception {
        String url = withIcu(TestStack.newDatabase());
        Migrations.apply(url, "postgres", "");
        List<String> merchants = List.of("a-b", "a0", "a_b", "ab", "a-c");
        try (Connection connection = open(url); var statement = connection.createStatement()) {
            for (String merchant : merchants) {
                statement.execute("INSERT INTO merchant (merchant_id) VALUES ('%s')".formatted(merchant));
            }
            try (var row = statement.executeQuery("SELECT merchant_id FROM merchant ORDER BY merchant_id FOR UPDATE")) {
                var found = new ArrayList<String>();
                while (row.next()) {
                    found.add(row.getString(1));
                }
                assertThat(found).containsExactlyElementsOf(merchants.stream().sorted().toList());
            }
        }
    }

    /** A database beside this one, in which punctuation weighs less than letters. */
    private static String withIcu(String url) throws SQLException {
        String name = URI.create(url.substring("jdbc:".length())).getPath().substring(1);
        try (Connection connection = DriverManager.getConnection(url)) {
            execute(connection, "CREATE DATABASE %s_icu TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'".formatted(name));
        }
        return url.replaceFirst("/" + name + "(?=[?]|$)", "/" + name + "_icu");
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
