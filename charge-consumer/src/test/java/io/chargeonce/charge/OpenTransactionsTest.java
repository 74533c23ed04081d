// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class OpenTransactionsTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

    private double ofOperator() {
        var gauge = meters.find("chargeonce.transaction.open.seconds").tag("login", "chargeonce_dlq_operator").gauge();
        return gauge == null ? -1 : gauge.value();
    }

    /** As charge's login sees it, which Postgres does not tell when another's transaction began. */
    @Test
    void a_login_that_keeps_rows_locked_is_named_with_how_long_and_is_forgotten_when_it_lets_go() throws Exception {
        try (var books = new EngineFixture()) {
            var transactions = new OpenTransactions(books.charging, now::get, meters);
            try (var person = DriverManager.getConnection(books.url.replace("user=postgres", "user=chargeonce_dlq_operator"))) {
                person.setAutoCommit(false);
                lock(person);
                transactions.runOnce();
                assertThat(ofOperator()).isZero();
                now.set(now.get().plusSeconds(400));
                transactions.runOnce();
                assertThat(ofOperator()).isEqualTo(400);

                person.rollback();
                lock(person);
                transactions.runOnce();
                assertThat(ofOperator()).as("another transaction").isZero();
            }
        }
    }

    private static void lock(Connection person) throws SQLException {
        try (var statement = person.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
    }
}
