// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.OperationState;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** As the schema's owner, which has more rights than every service. */
class AcceptedNeverChangesTest {

    private static LedgerRows rows;
    private static String id;

    @BeforeAll
    static void open() {
        rows = new LedgerRows();
        id = rows.accept();
    }

    @AfterAll
    static void close() {
        rows.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE operation SET amount = 999900, merchant_id = 'globex'",
        "UPDATE operation SET operation_ref = 'again'",
        "UPDATE operation SET amount = amount",
        "UPDATE operation SET amount = 1 WHERE false",
        "INSERT INTO operation SELECT * FROM operation ON CONFLICT (operation_id) DO UPDATE SET amount = 1",
        "SET chargeonce.forgetting = 'on'; UPDATE operation SET amount = 1",
        "SET chargeonce.forgetting = 'on'; TRUNCATE operation CASCADE",
        "SET chargeonce.erasing = 'on'; UPDATE operation SET amount = 1",
        "UPDATE operation SET receipt_email = 'x'",
        "TRUNCATE operation CASCADE"})
    void what_was_accepted_is_never_changed_not_even_by_the_owner(String change) {
        String before = rows.text("SELECT operation::text FROM operation WHERE operation_id = '" + id + "'");
        assertThatThrownBy(() -> rows.execute(change)).hasStackTraceContaining("what was accepted never changes");
        assertThat(rows.text("SELECT operation::text FROM operation WHERE operation_id = '" + id + "'")).isEqualTo(before);
    }

    @Test
    void a_charge_has_no_reference_so_that_it_cannot_be_made_twice() {
        assertThatThrownBy(() -> rows.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                    payment_method, charge_within_s)
                VALUES ('pay_x', 'pay_x', 'charge', 'again', 'acme', 'k', 1, 'EUR', 'pm', 1)"""))
                .hasStackTraceContaining("a_charge_has_no_reference");
    }

    @Test
    void a_state_begins_with_its_operation_and_in_no_other_way() {
        assertThat(rows.text("""
                SELECT state = 'accepted' AND charge_before = accepted_at + charge_within_s * interval '1 second'
                  FROM operation JOIN operation_state USING (operation_id) WHERE operation_id =\s""" + "'" + rows.accept() + "'"))
                .isEqualTo("t");
        assertThatThrownBy(() -> rows.execute("INSERT INTO operation_state (operation_id, charge_before) VALUES ('pay_x', now())"))
                .hasStackTraceContaining("is created with its operation");
        assertThatThrownBy(() -> rows.execute("INSERT INTO operation_state SELECT * FROM operation_state ON CONFLICT DO NOTHING"))
                .hasStackTraceContaining("is created with its operation");
        assertThatThrownBy(() -> rows.execute("UPDATE operation_state SET operation_id = 'pay_x'"))
                .hasStackTraceContaining("never changes its operation");
    }

    /** A late success needs one, and only what gave a capture back fails after its success. */
    private static final String SUCCEEDED_ATTEMPT = """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state, request,
                                         request_sha256, sent_at, key_valid_until, psp_reference, decided_at)
            SELECT 'key-' || operation_id, operation_id, payment_id, 'charge', 1, 1, 'stripe', 'succeeded', 'x', sha256('x'), now(), \
            now(), 'pi_1', now()
              FROM operation WHERE operation_id = '%1$s';
            UPDATE operation_state SET psp = 'stripe', psp_reference = 'pi_1', capture_psp = 'stripe', capture_reference = 'pi_0'
             WHERE operation_id = '%1$s'
            """;

    @ParameterizedTest
    @EnumSource(OperationState.class)
    void the_database_lets_a_state_go_where_java_does_and_nowhere_else(OperationState from) {
        for (OperationState to : OperationState.values()) {
            String other = rows.accept();
            rows.rewrite("UPDATE operation_state SET %s WHERE operation_id = '%s'".formatted(row(from), other));
            rows.rewrite(SUCCEEDED_ATTEMPT.formatted(other));
            ThrowingCallable move = () -> rows.execute("UPDATE operation_state SET %s WHERE operation_id = '%s'".formatted(row(to), other));
            if (from == to || from.next().contains(to)) {
                assertThatCode(move).as("%s to %s", from, to).doesNotThrowAnyException();
            } else {
                assertThatThrownBy(move).as("%s to %s", from, to).hasStackTraceContaining("no operation goes there from where this one is");
            }
        }
    }

    @Test
    void what_gave_nothing_back_never_fails_after_its_success() {
        String charge = rows.accept();
        rows.rewrite("UPDATE operation_state SET %s WHERE operation_id = '%s'".formatted(row(OperationState.SUCCEEDED), charge));
        assertThatThrownBy(() -> rows.execute("UPDATE operation_state SET state = 'failed' WHERE operation_id = '" + charge + "'"))
                .hasStackTraceContaining("no operation goes there from where this one is");
    }

    private static String row(OperationState state) {
        boolean isWatched = state == OperationState.PROCESSING || state == OperationState.UNRESOLVED;
        return "state = '%s', lease_token = gen_random_uuid(), resolve_at = %s%s".formatted(state.tag(), isWatched ? "now()" : "NULL",
                state == OperationState.CANCELED ? ", cancel_requested_at = now()" : "");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "DELETE FROM operation", "DELETE FROM operation_state", "TRUNCATE operation_state",
        "SELECT forget_settled_payments(1); DELETE FROM operation",
        "SELECT forget_settled_payments(1); DELETE FROM operation_state"})
    void only_the_function_that_forgets_deletes_and_nothing_behind_it_in_its_transaction(String deletion) {
        assertThatThrownBy(() -> rows.execute(deletion)).hasStackTraceContaining("only forget_settled_payments deletes one");
    }
}
