// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresServerTest {
    @TempDir
    Path directory;

    @Test
    void rows_survive_a_stop_and_a_start() throws SQLException {
        try (PostgresServer server = PostgresServer.start(directory.resolve("data"), 0)) {
            execute(server.jdbcUrl(), "CREATE TABLE kept (n int)");
            execute(server.jdbcUrl(), "INSERT INTO kept VALUES (42)");
        }
        try (PostgresServer server = PostgresServer.start(directory.resolve("data"), 0)) {
            assertThat(query(server.jdbcUrl(), "SELECT n FROM kept")).isEqualTo("42");
        }
    }

    @Test
    void a_committed_row_survives_a_crash_of_the_server() throws SQLException {
        try (PostgresServer server = PostgresServer.start(directory.resolve("data"), 0)) {
            execute(server.jdbcUrl(), "CREATE TABLE kept (n int)");
            execute(server.jdbcUrl(), "INSERT INTO kept VALUES (42)");
            server.restart(PostgresServer.Stop.IMMEDIATE);
            assertThat(query(server.jdbcUrl(), "SELECT n FROM kept")).isEqualTo("42");
            server.restart(PostgresServer.Stop.FAST);
            assertThat(query(server.jdbcUrl(), "SELECT n FROM kept")).isEqualTo("42");
            assertThat(query(server.jdbcUrl(), "SHOW fsync")).isEqualTo("on");
        }
    }

    @Test
    void a_stopped_server_refuses_connections_until_it_is_started_again() throws SQLException {
        try (PostgresServer server = PostgresServer.start(directory.resolve("data"), 0)) {
            server.stop(PostgresServer.Stop.FAST);
            assertThatThrownBy(() -> query(server.jdbcUrl(), "SELECT 1")).isInstanceOf(SQLException.class);
            server.startAgain();
            assertThat(query(server.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_commit_is_on_disk_before_it_is_answered() throws SQLException {
        String url = TestStack.newDatabase();
        assertThat(query(url, "SHOW fsync")).isEqualTo("on");
        assertThat(query(url, "SHOW synchronous_commit")).isEqualTo("on");
        assertThat(query(url, "SHOW full_page_writes")).isEqualTo("on");
        assertThat(query(url, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
    }

    @Test
    void a_server_that_could_lose_a_commit_is_refused() {
        String careless = TestStack.newDatabase() + "&options=-c%20synchronous_commit=off";
        assertThatThrownBy(() -> PostgresDatabases.requireDurable(careless))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("synchronous_commit=off");
    }

    /** As a person may name the directory; Postgres itself runs over the first name that it was started with. */
    @ParameterizedTest
    @ValueSource(strings = {"./data", "link"})
    void a_server_left_over_by_a_killed_process_is_stopped_first_and_its_rows_are_kept(String name) throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.createSymbolicLink(directory.resolve("link"), data);
        Path typed = directory.resolve(name);
        int port = LoopbackPort.choose("Postgres", 0);
        Process process = LeftBehind.start("postgres", directory.resolve("./data"), port);
        String url = "jdbc:postgresql://127.0.0.1:" + port + "/chargeonce?user=postgres";
        execute(url, "CREATE TABLE kept AS SELECT 42 AS n");
        LeftBehind.kill(process);
        ProcessHandle leftOver = new PostgresControl(data).postmaster().orElseThrow();
        assertThat(PostgresServer.isLeftOver(typed, port)).isTrue();
        assertThat(PostgresServer.isLeftOver(typed, port - 1)).as("another port").isFalse();

        try (PostgresServer server = PostgresServer.start(typed, port)) {
            assertThat(PostgresServer.isLeftOver(typed, port)).as("this one is alive").isFalse();
            assertThat(new PostgresControl(data).postmaster().orElseThrow().pid()).isNotEqualTo(leftOver.pid());
            assertThat(query(server.jdbcUrl(), "SELECT n FROM kept")).isEqualTo("42");
        }
        assertThat(new PostgresControl(data).postmaster()).isEmpty();
    }

    @Test
    void a_temporary_server_of_a_killed_process_is_cleared_away_and_a_living_one_is_not() throws Exception {
        Path killed = directory.resolve("chargeonce-postgres-killed");
        Process process = LeftBehind.start("postgres", killed.resolve("data"), 0);
        LeftBehind.kill(process);
        ProcessHandle leftOver = new PostgresControl(killed.resolve("data")).postmaster().orElseThrow();
        try (PostgresServer living = PostgresServer.start(directory.resolve("chargeonce-postgres-living/data"), 0)) {
            LeftOvers.clear(directory);
            assertThat(killed).doesNotExist();
            assertThat(ProcessHandle.of(leftOver.pid()).flatMap(left -> left.info().command())).isEmpty();
            assertThat(query(living.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_server_of_a_killed_run_over_a_temporary_directory_is_cleared_away() throws Exception {
        Path killed = directory.resolve("chargeonce-up-killed");
        Process process = LeftBehind.start("postgres", killed.resolve("postgres"), 0);
        LeftBehind.kill(process);
        LeftOvers.clear(directory);
        assertThat(killed).doesNotExist();
    }

    @Test
    void a_directory_in_use_is_refused_and_its_server_goes_on() throws SQLException {
        Path data = directory.resolve("data");
        try (PostgresServer first = PostgresServer.start(data, 0)) {
            assertThatThrownBy(() -> PostgresServer.start(data, 0)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Postgres cannot use " + data + ": it is in use by another one");
            assertThat(query(first.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_directory_whose_initialisation_was_cut_off_is_initialised_again() throws Exception {
        Path data = directory.resolve("data");
        Files.createDirectories(data.resolve("base"));
        Files.writeString(data.resolve("PG_VERSION"), "18\n");
        try (PostgresServer server = PostgresServer.start(data, 0)) {
            assertThat(query(server.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void half_unpacked_binaries_are_removed_and_whole_ones_kept() throws Exception {
        Files.createDirectories(directory.resolve("PG-half/bin"));
        Files.createDirectories(directory.resolve("PG-whole/bin"));
        Files.createFile(directory.resolve("PG-whole/.exists"));
        PostgresBinaries.removeHalfUnpacked(directory);
        assertThat(directory.resolve("PG-half")).doesNotExist();
        assertThat(directory.resolve("PG-whole/bin")).exists();
    }

    @Test
    void a_pid_file_that_names_another_process_is_not_believed() throws Exception {
        Files.writeString(directory.resolve("postmaster.pid"), ProcessHandle.current().pid() + "\n");
        assertThat(new PostgresControl(directory).postmaster()).isEmpty();
        try (var another = PostgresServer.startTemporary()) {
            Path data = Path.of(query(another.jdbcUrl(), "SHOW data_directory"));
            long other = new PostgresControl(data).postmaster().orElseThrow().pid();
            Files.writeString(directory.resolve("postmaster.pid"), other + "\n");
            assertThat(new PostgresControl(directory).postmaster()).isEmpty();
        }
    }

    @Test
    void what_kept_it_from_starting_is_told_in_one_line() throws Exception {
        Path data = directory.resolve("data");
        Files.createDirectories(data);
        Files.writeString(data.resolve("in-the-way"), "");
        assertThatThrownBy(() -> PostgresServer.start(data, 0)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Postgres did not start over " + data).hasMessageContaining("exists but is not empty")
                .message().doesNotContain("\n");
    }

    @Test
    void a_port_in_use_is_refused_in_one_line() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LoopbackPort.HOST))) {
            assertThatThrownBy(() -> PostgresServer.start(directory.resolve("data"), taken.getLocalPort()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Postgres cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .message().doesNotContain("\n");
        }
    }

    private static void execute(String url, String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String query(String url, String sql) throws SQLException {
        try (var connection = DriverManager.getConnection(url); var statement = connection.createStatement();
             var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
