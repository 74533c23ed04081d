// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After the first release, migrations run under load and beside services of the previous version. */
class MigrationRulesTest {

    private static final Path MIGRATIONS = Path.of("src/main/resources/io/chargeonce/database/migration");
    private static final String RUNS_WITH = "-- Runs with 1.0 and later.\n";

    @Test
    void each_migration_after_the_first_keeps_the_rules() throws IOException {
        List<Path> files = migrations("V").stream().sorted((a, b) -> Integer.compare(number(a), number(b))).toList();
        assertThat(files).extracting(MigrationRulesTest::number).isEqualTo(IntStream.rangeClosed(1, files.size()).boxed().toList());
        for (Path file : files.subList(1, files.size())) {
            assertThat(MigrationRules.broken(Files.readString(file))).as(file.getFileName().toString()).isEmpty();
        }
    }

    /** Flyway runs one again in each release that has changed it, while payments go on. */
    @Test
    void a_file_of_functions_has_nothing_but_functions_so_it_can_run_again_and_locks_no_table() throws IOException {
        assertThat(migrations("R")).isNotEmpty();
        for (Path file : migrations("R")) {
            assertThat(MigrationRules.notOfFunctions(Files.readString(file))).as(file.getFileName().toString()).isEmpty();
        }
    }

    private static List<Path> migrations(String kind) throws IOException {
        try (var all = Files.list(MIGRATIONS)) {
            return all.filter(file -> file.getFileName().toString().startsWith(kind)).toList();
        }
    }

    private static int number(Path file) {
        return Integer.parseInt(file.getFileName().toString().replaceAll("V(\\d+)__\\w+\\.sql", "$1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "ALTER TABLE operation ADD COLUMN note text;",
        "ALTER TABLE operation ADD COLUMN tries int NOT NULL DEFAULT 0;",
        "SET lock_timeout = 0; DROP INDEX CONCURRENTLY IF EXISTS by_note; CREATE INDEX CONCURRENTLY by_note ON operation (note) WHERE "
                + "note <> '';",
        "ALTER TABLE operation ADD CONSTRAINT short CHECK (length(note) < 9) NOT VALID;",
        "ALTER TABLE operation VALIDATE CONSTRAINT short;",
        "ALTER TABLE operation ADD CONSTRAINT one UNIQUE USING INDEX by_note;",
        "CREATE TABLE extra (id text PRIMARY KEY, n int CHECK (n > 0)); CREATE INDEX extra_n ON extra (n); ALTER TABLE extra ADD "
                + "CHECK (n < 9);",
        "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE operation SET step = 1; RETURN 1; END $$;",
        "-- Nothing older than 1.1 runs any more.\nALTER TABLE operation DROP COLUMN note;"})
    void a_migration_that_delays_nothing_may_be_released(String statements) {
        assertThat(MigrationRules.broken(RUNS_WITH + statements)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "CREATE INDEX by_note ON operation (note);",
        "CREATE UNIQUE INDEX by_note ON operation (note);",
        "CREATE INDEX CONCURRENTLY by_note ON operation (note);",
        "SET lock_timeout = 0; DROP INDEX CONCURRENTLY IF EXISTS another; CREATE INDEX CONCURRENTLY by_note ON operation (note);",
        "ALTER TABLE operation ADD CONSTRAINT short CHECK (length(note) < 9);",
        "ALTER TABLE operation ADD CONSTRAINT short CHECK (length(note) < 9) NOT VALID; ALTER TABLE operation VALIDATE CONSTRAINT short;",
        "ALTER TABLE operation ADD FOREIGN KEY (merchant_id) REFERENCES merchant;",
        "ALTER TABLE operation ADD CONSTRAINT one UNIQUE (note);",
        "ALTER TABLE operation ADD COLUMN note text UNIQUE;",
        "ALTER TABLE operation ADD COLUMN note text NOT NULL;",
        "ALTER TABLE operation ALTER COLUMN amount TYPE numeric;",
        "alter table operation\n    alter column amount set not null;",
        "ALTER TABLE operation RENAME COLUMN note TO notes;",
        "ALTER TABLE operation DROP COLUMN note;",
        "DROP TABLE tier_visit;",
        "UPDATE operation SET note = '';", "DELETE FROM tier_visit;", "TRUNCATE tier_visit;", "LOCK TABLE operation;",
        "VACUUM FULL operation;"})
    void a_migration_that_delays_payments_or_breaks_old_services_is_found(String statements) {
        assertThat(MigrationRules.broken(RUNS_WITH + statements)).hasSize(1);
    }

    @Test
    void the_supported_versions_come_first() {
        assertThat(MigrationRules.broken("ALTER TABLE operation ADD COLUMN note text;")).singleElement().asString()
                .contains("-- Runs with 1.2 and later.");
    }
}
