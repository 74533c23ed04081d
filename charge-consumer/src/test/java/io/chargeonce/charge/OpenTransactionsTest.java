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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(strings = {"PREPARE p AS DELETE FROM chargeonce.payment_attempt", "PREPARE p AS DELETE FROM chargeonce.audit_record"})
    void a_login_that_locks_a_table_without_a_right_to_it_and_without_writing_is_named(String locks) throws Exception {
        try (var books = new EngineFixture()) {
            var transactions = new OpenTransactions(books.charging, now::get, meters);
            try (var person = DriverManager.getConnection(books.url.replace("user=postgres", "user=chargeonce_dlq_operator"))) {
                person.setAutoCommit(false);
                person.createStatement().execute(locks);
                transactions.runOnce();
                now.set(now.get().plusSeconds(400));
                transactions.runOnce();
                assertThat(ofOperator()).isEqualTo(400);
            }
        }
    }

    @Test
    void a_query_counts_while_another_waits_for_it() throws Exception {
        try (var books = new EngineFixture()) {
            var transactions = new OpenTransactions(books.charging, now::get, meters);
            try (var person = DriverManager.getConnection(books.url.replace("user=postgres", "user=chargeonce_dlq_operator"));
                 var owner = DriverManager.getConnection(books.url)) {
                person.setAutoCommit(false);
                person.createStatement().execute("SELECT count(*) FROM chargeonce.operation");
                transactions.runOnce();
                assertThat(ofOperator()).as("nobody waits").isEqualTo(-1);

                owner.setAutoCommit(false);
                Thread waits = Thread.ofVirtual().start(() -> {
                    try {
                        owner.createStatement().execute("LOCK TABLE chargeonce.operation");
                    } catch (SQLException ended) {
                        throw new IllegalStateException(ended);
                    }
                });
                Waiting.until(() -> {
                    transactions.runOnce();
                    return ofOperator() == 0;
                });
                person.rollback();
                waits.join();
            }
        }
    }

    private static void lock(Connection person) throws SQLException {
        try (var statement = person.createStatement()) {
            statement.execute("SELECT pg_current_xact_id()");
        }
    }
}
