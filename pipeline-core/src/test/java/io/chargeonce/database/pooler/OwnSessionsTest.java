// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.PersonsDatabase;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.net.URI;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A pooler that shares sessions loses payments. So nothing of ours works behind one. */
class OwnSessionsTest {

    private static final String URL = TestStack.newDatabase();
    private static final int POSTGRES = URI.create(URL.substring("jdbc:".length())).getPort();

    private static String behind(Pooler pooler) {
        return URL.replace(":" + POSTGRES + "/", ":" + pooler.port() + "/");
    }

    static Stream<Function<String, Database>> waysToOpen() {
        return Stream.of(url -> Database.openForService(url, "postgres", "", 4), url -> Database.openForCommand(url, "postgres", ""),
                url -> PersonsDatabase.at(url, 10).open("postgres", "", 2));
    }

    private static int answer(Database database) {
        return database.inTransaction(connection -> {
            try (var statement = connection.createStatement(); var row = statement.executeQuery("SELECT 7")) {
                row.next();
                return row.getInt(1);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("waysToOpen")
    void nothing_runs_behind_a_pooler_that_shares_sessions_until_a_restart(Function<String, Database> open) throws IOException {
        try (var pooler = new Pooler(POSTGRES, true); Database database = open.apply(behind(pooler))) {
            for (int time = 0; time < 2; time++) {
                assertThatThrownBy(() -> answer(database)).isInstanceOf(DatabaseUnavailable.class).rootCause()
                        .hasMessageContaining("Connect to Postgres itself, or set pool_mode = session");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("waysToOpen")
    void a_pooler_with_a_session_for_each_connection_is_let_be(Function<String, Database> open) throws IOException {
        try (var pooler = new Pooler(POSTGRES, false); Database database = open.apply(behind(pooler))) {
            assertThat(answer(database)).isEqualTo(7);
            assertThat(pooler.clients()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void a_command_at_postgres_itself_opens_one_connection() {
        try (var database = Database.openForCommand(URL, "postgres", "")) {
            int others = connections(database);
            answer(database);
            assertThat(others).isOne();
            assertThat(connections(database)).isOne();
        }
    }

    private static int connections(Database database) {
        return database.withConnection(connection -> {
            try (var statement = connection.createStatement();
                 var row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")) {
                row.next();
                return row.getInt(1);
            }
        });
    }
}
