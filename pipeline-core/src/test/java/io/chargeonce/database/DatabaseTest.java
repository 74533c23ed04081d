package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.sandbox.TestStack;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseTest {

    private static final String URL = TestStack.newDatabase();

    @Test
    void a_service_waits_a_little_longer_for_an_answer_than_a_statement_may_take_and_a_command_longer_than_its_longest() {
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
                    + Integer.parseInt(setting(connection, "tcp_keepalives_interval")) * Integer.parseInt(setting(connection, "tcp_keepalives_count")));
            assertThat(seconds).isEqualTo(30);
            assertThat(database.<String>withConnection(connection -> setting(connection, "tcp_user_timeout"))).isEqualTo("30000");
        }
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
