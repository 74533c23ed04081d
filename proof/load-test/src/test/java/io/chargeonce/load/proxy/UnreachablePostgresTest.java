// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.sandbox.TestStack;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UnreachablePostgresTest {

    private final String direct = TestStack.newDatabase();
    private final int port = URI.create(direct.substring("jdbc:".length())).getPort();

    /** A thread that waits in a socket cannot be interrupted. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void who_waits_for_a_postgres_that_went_away_without_a_word_is_told_so_and_goes_on_when_it_is_back() {
        try (var proxy = TcpProxy.start(port); var database = through(proxy, "&socketTimeout=1")) {
            assertThatThrownBy(() -> database.inTransaction(connection -> {
                assertThat(one(connection)).isEqualTo(1);
                proxy.set(Conditions.silent());
                return one(connection);
            })).isInstanceOf(DatabaseUnavailable.class);
            proxy.set(Conditions.fair());
            Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptionsInstanceOf(DatabaseUnavailable.class)
                    .until(() -> database.withConnection(UnreachablePostgresTest::one) == 1);
        }
    }

    /** The pool asks it once for the server's isolation level; an answer that never came once left a pool that could connect no more. */
    @Test
    void a_first_connection_that_is_cut_while_it_is_set_up_is_followed_by_one_that_works() throws SQLException {
        try (var proxy = TcpProxy.start(port); var database = through(proxy, "")) {
            proxy.loseNextAnswerWith("transaction_isolation".getBytes(StandardCharsets.US_ASCII));
            assertThat(database.withConnection(UnreachablePostgresTest::one)).isEqualTo(1);
            assertThat(proxy.answersLost()).isEqualTo(1);
        }
    }

    private Database through(TcpProxy proxy, String options) {
        return Database.openForService(direct.replace(":" + port + "/", ":" + proxy.port() + "/") + options, "postgres", "", 1);
    }

    private static int one(Connection connection) throws SQLException {
        try (var statement = connection.createStatement(); var row = statement.executeQuery("SELECT 1")) {
            row.next();
            return row.getInt(1);
        }
    }
}
