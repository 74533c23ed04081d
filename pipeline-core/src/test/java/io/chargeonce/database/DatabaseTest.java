// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class DatabaseTest {

    private static final String URL = TestStack.newDatabase();

    @Test
    void services_and_commands_wait_for_postgres_a_little_longer_than_their_longest_statement() {
        try (var service = Database.openForService(URL, "postgres", "", 1); var command = Database.openForCommand(URL, "postgres", "")) {
            assertThat(service.<String>withConnection(connection -> setting(connection, "statement_timeout"))).isEqualTo("30s");
            assertThat(silence(service)).isEqualTo(Duration.ofSeconds(40));
            assertThat(silence(command)).isEqualTo(Duration.ofMinutes(31));
        }
    }

    @Test
    void the_server_finds_out_within_half_a_minute_that_a_client_is_gone() {
        try (var database = Database.openForService(URL, "postgres", "", 1)) {
            int seconds = database.withConnection(connection -> Integer.parseInt(setting(connection, "tcp_keepalives_idle"))
                    + Integer.parseInt(setting(connection, "tcp_keepalives_interval"))
                            * Integer.parseInt(setting(connection, "tcp_keepalives_count")));
            assertThat(seconds).isEqualTo(30);
            assertThat(database.<String>withConnection(connection -> setting(connection, "tcp_user_timeout"))).isEqualTo("30000");
        }
    }

    @Test
    void the_query_of_a_command_that_was_killed_ends_within_seconds() {
        try (var command = Database.openForCommand(URL, "postgres", "")) {
            assertThat(command.<String>withConnection(connection -> setting(connection, "client_connection_check_interval")))
                    .isEqualTo("5s");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"22001", "22021", "22P02", "23502", "23505", "23514"})
    void only_data_and_constraints_are_held_against_a_row(String sqlState) {
        assertThat(refusal(sqlState)).matches(DatabaseRefused::isAboutTheRow).matches(refused -> !refused.isPassing() && !refused.isOurs());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0A000", "21000", "25P02", "28P01", "3D000", "3F000", "42501", "42703", "42P01", "P0001", "XX000", "55000"})
    void what_does_not_fit_between_schema_rights_and_code_is_ours(String sqlState) {
        assertThat(refusal(sqlState)).matches(DatabaseRefused::isOurs).matches(refused -> !refused.isPassing() && !refused.isAboutTheRow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "55P03", "57014"})
    void others_in_the_way_are_neither(String sqlState) {
        assertThat(refusal(sqlState)).matches(DatabaseRefused::isPassing).matches(refused -> !refused.isOurs() && !refused.isAboutTheRow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "25006", "25P03", "25P04", "53300", "57P01", "58030"})
    void a_server_that_is_away_or_broke_off_is_an_outage(String sqlState) {
        try (var database = Database.openForCommand(URL, "postgres", "")) {
            assertThatThrownBy(() -> raise(database, sqlState)).isInstanceOf(DatabaseUnavailable.class);
        }
    }

    /** As after a freeze of the process. */
    @Test
    void a_transaction_that_was_idle_for_too_long_is_an_outage() throws SQLException {
        try (var database = Database.openForService(URL, "postgres", "", 1); var watching = DriverManager.getConnection(URL)) {
            assertThatThrownBy(() -> database.inTransaction(connection -> {
                connection.createStatement().execute("SET LOCAL idle_in_transaction_session_timeout = 50");
                int backend = connection.unwrap(PGConnection.class).getBackendPID();
                Awaitility.await().until(() -> isGone(watching, backend));
                return connection.createStatement().execute("SELECT 1");
            })).isInstanceOf(DatabaseUnavailable.class);
        }
    }

    private static boolean isGone(Connection watching, int backend) throws SQLException {
        try (var row = watching.createStatement().executeQuery("SELECT FROM pg_stat_activity WHERE pid = " + backend)) {
            return !row.next();
        }
    }

    @Test
    void a_change_that_needs_another_person_is_no_misfit_and_makes_no_process_unready() {
        assertThat(refusal("X4EYE")).matches(DatabaseRefused::isByFourEyes)
                .matches(refused -> !refused.isOurs() && !refused.isPassing() && !refused.isAboutTheRow());
        var meters = new SimpleMeterRegistry();
        try (var database = Database.openForService(URL, "postgres", "", 1).countedBy(meters)) {
            assertThatThrownBy(() -> database
                    .withConnection(connection -> connection.createStatement().execute("DO $$ BEGIN RAISE SQLSTATE 'X4EYE'; END $$")))
                    .isInstanceOf(DatabaseRefused.class);
            assertThat(meters.counter("chargeonce.database.misfits").count()).isZero();
        }
    }

    @Test
    void a_schema_that_does_not_fit_is_counted_and_makes_a_process_unready() {
        Migrations.apply(URL, "postgres", "");
        var meters = new SimpleMeterRegistry();
        try (var database = Database.openForService(URL, "postgres", "", 1).countedBy(meters)) {
            assertThat(database.problem()).isEmpty();
            assertThatThrownBy(
                    () -> database.withConnection(connection -> connection.createStatement().execute("SELECT no_such_column FROM outbox")))
                    .isInstanceOf(DatabaseRefused.class);
            assertThat(database.problem()).get().asString().contains("no_such_column");
            assertThat(meters.counter("chargeonce.database.misfits").count()).isEqualTo(1);
        }
    }

    @Test
    void what_does_not_fit_is_counted_for_every_database_of_a_process() {
        var meters = new SimpleMeterRegistry();
        try (var first = Database.openForService(URL, "postgres", "", 1).countedBy(meters);
             var second = Database.openForService(URL, "postgres", "", 1).countedBy(meters)) {
            for (Database database : List.of(first, second)) {
                assertThatThrownBy(
                        () -> database.withConnection(connection -> connection.createStatement().execute("SELECT no_such_column")))
                        .isInstanceOf(DatabaseRefused.class);
            }
            assertThat(meters.find("chargeonce.database.misfits").meter().measure().iterator().next().getValue()).isEqualTo(2);
        }
    }

    private static DatabaseRefused refusal(String sqlState) {
        try (var database = Database.openForCommand(URL, "postgres", "")) {
            return catchThrowableOfType(DatabaseRefused.class, () -> raise(database, sqlState));
        }
    }

    private static void raise(Database database, String sqlState) {
        database.withConnection(connection -> connection.createStatement()
                .execute("DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '%s'; END $$".formatted(sqlState)));
    }

    private static Duration silence(Database database) {
        return Duration.ofMillis(database.<Integer>withConnection(Connection::getNetworkTimeout));
    }

    private static String setting(Connection connection, String name) throws SQLException {
        try (var statement = connection.createStatement(); var row = statement.executeQuery("SHOW " + name)) {
            row.next();
            return row.getString(1);
        }
    }
}
