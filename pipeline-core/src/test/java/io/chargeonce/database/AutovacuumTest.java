// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No table needs a long vacuum after years of payments. */
class AutovacuumTest {

    private static Connection connection;

    @BeforeAll
    static void migrate() throws SQLException {
        String url = TestStack.newDatabase(empty -> Migrations.apply(empty, "postgres", ""));
        connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"operation", "operation_state", "payment_attempt", "psp_observation", "idempotency_key", "settlement_line",
                "audit_record_to_99999999", "audit_record_to_199999999"})
    void what_grows_for_years_is_vacuumed_by_rows_and_frozen_as_it_comes(String table) throws SQLException {
        assertThat(options(table)).contains("autovacuum_vacuum_insert_scale_factor=0.0", "autovacuum_vacuum_insert_threshold=1000000",
                "autovacuum_freeze_min_age=0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"operation", "operation_state", "payment_attempt", "psp_observation", "idempotency_key", "settlement_line"})
    void what_leaves_dead_rows_waits_for_no_fifth_of_the_table(String table) throws SQLException {
        assertThat(options(table)).contains("autovacuum_vacuum_scale_factor=0.02");
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox", "waiting", "duplicate_guard"})
    void what_is_short_and_full_of_dead_rows_is_vacuumed_by_their_number(String table) throws SQLException {
        assertThat(options(table)).contains("autovacuum_vacuum_scale_factor=0.0", "autovacuum_vacuum_threshold=10000");
    }

    /** The lock for that stops every acceptance, claim and outcome. */
    @Test
    void no_vacuum_gives_back_the_end_of_the_outbox() throws SQLException {
        assertThat(options("outbox")).contains("vacuum_truncate=off");
    }

    private static String options(String table) throws SQLException {
        try (var statement = connection.createStatement();
             var row = statement
                     .executeQuery("SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE oid = '" + table + "'::regclass")) {
            row.next();
            return row.getString(1);
        }
    }
}
