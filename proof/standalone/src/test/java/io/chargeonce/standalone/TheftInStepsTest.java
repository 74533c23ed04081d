// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thefts that need several statements, or two at once. */
class TheftInStepsTest {

    private static RobbedDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = new RobbedDatabase();
    }

    @AfterAll
    static void close() throws SQLException {
        database.close();
    }

    /** Each key is as old as its payment, also after a change a moment ago. */
    @ParameterizedTest
    @ValueSource(strings = {
        "SELECT take_back_keys('{acme,acme,acme}', '{succeeded,declined,dead}')",
        "SELECT forget_settled_payments(1000)", "SELECT forget_settled_payments(NULL)",
        "SELECT forget_settled_payments(1000, '-infinity')", "SELECT forget_dead_letter_runs(1000)",
        "SELECT forget_presentations(1000)", "SELECT forget_presentations(NULL)"})
    void ingest_frees_no_key_and_forgets_nothing_before_its_time(String theft) throws SQLException {
        List<String> before = database.rows();
        try (Connection connection = database.login("chargeonce_ingest"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SAVEPOINT before");
            for (String each : theft.split("; ")) {
                statement.execute(each);
                assertThat(keys(connection)).as("after %s", each).isEqualTo(7);
            }
            connection.commit();
        }
        assertThat(database.rows()).isEqualTo(before);
    }

    @Test
    void what_a_transaction_has_put_in_itself_it_takes_back_unless_a_payment_was_accepted_with_it() throws SQLException {
        String key = """
                INSERT INTO idempotency_key (merchant_id, idempotency_key, fingerprint, fingerprint_version, request_path,
                                             resource_id)
                VALUES ('acme', 'mine', sha256('x'), 1, '/v1/payments', '%s')
                """;
        try (Connection connection = database.login("chargeonce_ingest"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String resource : List.of("pay_x", "pay_accepted")) {
                statement.execute(key.formatted(resource));
                statement.execute("SELECT take_back_keys('{acme}', '{mine}')");
                assertThat(ownKeys(connection)).as(resource).isEqualTo(resource.equals("pay_x") ? 0 : 1);
            }
            connection.rollback();
        }
    }

    /** Without a lock on the payment, the PSP may correct it between the read and the save of the refund. */
    @Test
    void a_refund_may_name_the_capture_that_a_person_found_and_the_psp_has_corrected_since() throws SQLException {
        try (Connection connection = database.login("postgres"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("""
                    INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, psp_reference, evidence, proposed_by, run, \
                    approved_by, state)
                    VALUES ('key_pay_succeeded', 'pay_succeeded', 2, 'charged', 'pi_by_hand', 'e', 'ann', 'r3', 'ann', 'settled')""");
            statement.execute("SET ROLE chargeonce_charge");
            assertThat(statement.executeUpdate("UPDATE operation_state SET capture_reference = 'pi_by_hand' WHERE operation_id = 'refund'"))
                    .isOne();
            connection.rollback();
        }
    }

    /** Two refunds of 600 of a capture of 1000, of which the second does not see the first. */
    @Test
    void a_refund_that_reads_an_old_snapshot_is_refused() throws SQLException {
        String refund = """
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                                       payment_method, charge_within_s)
                VALUES ('%1$s', 'pay_succeeded', 'refund', '%1$s', 'acme', '%1$s', 100, 'EUR', 'pm', 60)""";
        for (int level : List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE)) {
            try (Connection connection = database.login("chargeonce_ingest"); var statement = connection.createStatement()) {
                connection.setTransactionIsolation(level);
                assertThatThrownBy(() -> statement.execute(refund.formatted("old")))
                        .hasMessageContaining("a refund is accepted at read committed");
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                connection.setAutoCommit(false);
                assertThat(statement.executeUpdate(refund.formatted("now"))).isOne();
                connection.rollback();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE dead_letter SET state = 'purged', changed_at = now() - interval '1 year' WHERE dead_letter_id = 'pay_dead' RETURNING "
                + "changed_at",
        "UPDATE dead_letter SET died_at = now() - interval '1 year' WHERE dead_letter_id = 'pay_dead' RETURNING died_at",
        "UPDATE dlq_run SET ended_at = now() - interval '1 year' RETURNING ended_at"})
    void what_ends_now_is_as_old_as_now_and_no_claim_changes_that(String theft) throws SQLException {
        try (Connection connection = database.login("chargeonce_dlq_operator"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            try (var row = statement.executeQuery(theft)) {
                row.next();
                assertThat(row.getTimestamp(1)).isCloseTo(Instant.now(), 3_600_000);
            }
            connection.rollback();
        }
    }

    /** The seal after it would have no place, and nothing would be sealed any more. */
    @Test
    void a_seal_comes_after_the_last_one_and_covers_what_is_there() throws SQLException {
        String seal = "INSERT INTO audit_seal (seal, from_id, to_id, records, rows_sha256, previous, mark, sealed_at) VALUES (%s)";
        try (Connection connection = database.login("chargeonce_charge"); var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(
                    """
                    SELECT append_audit('{acme}', '{charge-consumer}', '{operation.succeeded}', '{operation}', '{pay_dead}', '{NULL}', \
                    '{NULL}', '{NULL}')""");
            for (String odd : List.of("2, 1, 1, 1, sha256(''), NULL, sha256(''), now()", "1, 2, 2, 1, sha256(''), NULL, sha256(''), now()",
                    "1, 1, 1000, 1, sha256(''), NULL, sha256(''), now()",
                    "1, 1, 1, 1, sha256(''), NULL, sha256(''), now() + interval '1 day'")) {
                statement.execute("SAVEPOINT before");
                assertThatThrownBy(() -> statement.execute(seal.formatted(odd))).as(odd).isInstanceOf(SQLException.class);
                statement.execute("ROLLBACK TO before");
            }
            assertThat(statement.executeUpdate(seal.formatted("1, 1, 1, 1, sha256(''), NULL, sha256(''), now()"))).isOne();
            connection.rollback();
        }
    }

    /** Of this transaction: no others can be seen. */
    private static int ownKeys(Connection connection) throws SQLException {
        return Integer.parseInt(Texts.of(connection, "SELECT count(*) FROM idempotency_key").getFirst());
    }

    private static int keys(Connection connection) throws SQLException {
        return Integer.parseInt(Texts
                .of(connection,
                        """
                SELECT count(*) FROM keys_taken(array_fill('acme'::text, '{7}'), \
                '{accepted,processing,unresolved,succeeded,declined,dead,purged}')""")
                .getFirst());
    }
}
