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

    private static final Path FILES = Path.of("src/main/resources/io/chargeonce/database/migration");
    private static final String OURS = "classpath:io/chargeonce/database/migration";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path later;

    /** A dump holds its lock for hours: a statement that queues for the table would delay each payment behind it. */
    @Test
    void a_migration_that_meets_a_lock_lets_payments_through_and_is_tried_again() throws Exception {
        String url = TestStack.newDatabase();
        assertThat(Migrations.apply(url, "postgres", "")).isPositive();
        Files.writeString(later.resolve("V2__a_column.sql"), "ALTER TABLE merchant ADD COLUMN note text");
        try (Connection dump = open(url); Connection payment = open(url); Connection watch = open(url)) {
            dump.setAutoCommit(false);
            execute(dump, "SELECT FROM merchant");
            var migrating = CompletableFuture.supplyAsync(
                    () -> Migrations.apply(url, "postgres", "", OURS, "filesystem:" + later));
            Awaitility.await().atMost(PATIENCE).until(() -> waits(watch));
            execute(payment, "INSERT INTO merchant (merchant_id) VALUES ('acme')");
            assertThat(migrating).isNotDone();
            dump.rollback();
            Awaitility.await().atMost(PATIENCE).until(migrating::isDone);
            assertThat(migrating.join()).isOne();
            execute(payment, "UPDATE merchant SET note = 'it is there'");
        }
        assertThat(Migrations.apply(url, "postgres", "", OURS, "filesystem:" + later)).isZero();
    }

    private static final String FUNCTIONS = """
            SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
                SELECT pg_get_functiondef(oid) || proacl::text FROM pg_proc WHERE pronamespace = 'chargeonce'::regnamespace
                 UNION ALL
                SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
                 UNION ALL
                SELECT policies::text FROM pg_policies AS policies) AS ours (line)
            """;

    @Test
    void changed_files_of_functions_run_again_and_leave_nothing_but_their_functions() throws Exception {
        String url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        String before = text(url, FUNCTIONS);
        int changed = 0;
        try (var files = Files.list(FILES)) {
            for (Path file : files.toList()) {
                boolean ofFunctions = file.getFileName().toString().startsWith("R__");
                changed += ofFunctions ? 1 : 0;
                Files.writeString(later.resolve(file.getFileName()), Files.readString(file) + (ofFunctions ? "-- Changed.\n" : ""));
            }
        }
        assertThat(Migrations.apply(url, "postgres", "", "filesystem:" + later)).isEqualTo(changed).isPositive();
        assertThat(text(url, FUNCTIONS)).isEqualTo(before);
    }

    /** Each of our roles may use the schema: a function that PUBLIC may call until a later transaction is theirs until then. */
    @Test
    void a_new_function_is_never_everyones() throws Exception {
        String url = TestStack.newDatabase();
        Migrations.apply(url, "postgres", "");
        Files.writeString(later.resolve("V2__a_function.sql"), """
                CREATE TABLE made_with_it (n int);
                CREATE FUNCTION added() RETURNS int LANGUAGE sql AS 'SELECT 1';
                """);
        Migrations.apply(url, "postgres", "", OURS, "filesystem:" + later);
        assertThat(text(url, """
                SELECT string_agg(proname, ', ') FROM pg_proc
                 WHERE pronamespace = 'chargeonce'::regnamespace AND has_function_privilege('public', oid, 'EXECUTE')
                """)).isNull();
        assertThat(text(url, """
                SELECT proacl::text || ', by the transaction that made it: '
                       || (pg_proc.xmin = (SELECT xmin FROM pg_class WHERE oid = 'made_with_it'::regclass))::text
                  FROM pg_proc WHERE proname = 'added'
                """)).isEqualTo("{postgres=X/postgres}, by the transaction that made it: true");
    }

    @Test
    void an_older_migrate_leaves_later_functions_as_they_are() throws Exception {
        String url = TestStack.newDatabase();
        Path newer = Files.createDirectory(later.resolve("newer"));
        Path older = Files.createDirectory(later.resolve("older"));
        Files.writeString(newer.resolve("V2__a_column.sql"), "ALTER TABLE merchant ADD COLUMN note text");
        String which = "CREATE OR REPLACE FUNCTION which() RETURNS text LANGUAGE sql AS $$ SELECT '%s' $$";
        Files.writeString(newer.resolve("R__99_which.sql"), which.formatted("new"));
        Files.writeString(older.resolve("R__99_which.sql"), which.formatted("old"));
        Migrations.apply(url, "postgres", "", OURS, "filesystem:" + older);
        assertThat(Migrations.apply(url, "postgres", "", OURS, "filesystem:" + newer)).isEqualTo(2);
        assertThat(Migrations.apply(url, "postgres", "", OURS, "filesystem:" + older)).isZero();
        assertThat(text(url, "SELECT which()")).isEqualTo("new");
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

    private static String text(String url, String query) throws SQLException {
        try (Connection connection = open(url); var statement = connection.createStatement(); var row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static boolean waits(Connection watch) throws SQLException {
        try (var statement = watch.createStatement(); var row = statement.executeQuery(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'chargeonce.merchant'::regclass")) {
            return row.next() && row.getInt(1) > 0;
        }
    }
}
