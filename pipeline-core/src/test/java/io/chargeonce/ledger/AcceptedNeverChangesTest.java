package io.chargeonce.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** As the owner of the schema, which every service has less rights than. */
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
            "TRUNCATE operation CASCADE"})
    void what_was_accepted_is_never_changed_not_even_by_the_owner(String change) {
        String before = rows.text("SELECT operation::text FROM operation WHERE operation_id = '" + id + "'");
        assertThatThrownBy(() -> rows.execute(change)).hasStackTraceContaining("what was accepted never changes");
        assertThat(rows.text("SELECT operation::text FROM operation WHERE operation_id = '" + id + "'")).isEqualTo(before);
    }

    @Test
    void a_charge_has_no_reference_so_that_it_cannot_be_made_twice() {
        assertThatThrownBy(() -> rows.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, payment_method)
                VALUES ('pay_x', 'pay_x', 'charge', 'again', 'acme', 'k', 1, 'EUR', 'pm')""")).hasStackTraceContaining("a_charge_has_no_reference");
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "DELETE FROM operation", "DELETE FROM operation_state", "TRUNCATE operation_state",
            "SELECT forget_settled_payments(interval '400 days', 1); DELETE FROM operation",
            "SELECT forget_settled_payments(interval '400 days', 1); DELETE FROM operation_state"})
    void only_the_function_that_forgets_deletes_and_nothing_behind_it_in_its_transaction(String deletion) {
        assertThatThrownBy(() -> rows.execute(deletion)).hasStackTraceContaining("only forget_settled_payments deletes one");
    }
}
