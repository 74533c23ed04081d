// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.due.EndedPurges;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndedPurgesTest {

    private static EngineFixture books;
    private EndedPurges ends;
    private String id;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    @BeforeEach
    void purge() {
        books.forget();
        ends = new EndedPurges(books.charging, books.topics, () -> {});
        id = purged("order-1");
    }

    private static String purged(String key) {
        var psp = new FakePsp();
        psp.then(FakePsp.FAIL, FakePsp.FAIL, FakePsp.FAIL, FakePsp.FAIL);
        String id = books.accept(key);
        books.process(psp).drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        books.database.inTransaction(connection -> {
            var locked = OperationTable.lock(connection, List.of(id));
            Operation operation = locked.rows().get(id);
            operation.purge(locked.now());
            OperationTable.save(connection, List.of(operation));
            return DeadLetterTable.release(connection, books.topics, "purged", List.of(id));
        });
        return id;
    }

    @Test
    void while_a_purge_can_be_undone_no_outcome_is_published() {
        books.daysAfterPurges(29);
        assertThat(ends.runOnce()).isZero();
        assertThat(books.staged(books.topics.outcomes())).isZero();
    }

    @Test
    void when_a_purge_is_final_its_outcome_is_published_once_and_audited() {
        books.daysAfterPurges(31);
        assertThat(ends.runOnce()).isEqualTo(1);
        assertThat(ends.runOnce()).isZero();

        assertThat(books.state(id)).isEqualTo(OperationState.PURGED);
        assertThat(books.operation(id).settledAt()).isPresent();
        assertThat(books.count("FROM outbox WHERE topic = '%s' AND convert_from(value, 'UTF8')::json ->> 'status' = 'purged'"
                .formatted(books.topics.outcomes()))).isEqualTo(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.count("FROM audit_record WHERE action = 'purged' AND resource_id = '" + id + "'")).isEqualTo(1);
    }

    @Test
    void a_purge_that_was_undone_in_time_publishes_no_outcome() {
        books.daysAfterPurges(31);
        books.execute("UPDATE operation_state SET state = 'dead'");
        assertThat(ends.runOnce()).isZero();
        assertThat(books.staged(books.topics.outcomes())).isZero();
    }

    @Test
    void a_purge_that_cannot_be_ended_keeps_no_other_from_it() {
        String broken = purged("order-2");
        books.daysAfterPurges(31);
        books.execute(
                "ALTER TABLE operation_state ADD CONSTRAINT planted CHECK (settled_at IS NULL OR operation_id <> '%s')".formatted(broken));
        try {
            assertThat(ends.runOnce()).isEqualTo(1);
            assertThat(books.operation(id).settledAt()).isPresent();
            assertThat(ends.runOnce()).isZero();
        } finally {
            books.execute("ALTER TABLE operation_state DROP CONSTRAINT planted");
        }
        assertThat(ends.runOnce()).as("it is tried again").isEqualTo(1);
    }

    @Test
    void a_purged_operation_that_cannot_be_read_does_not_stop_the_outcomes_of_others() {
        String unreadable = purged("order-2");
        books.daysAfterPurges(31);
        books.rewrite("""
                ALTER TABLE operation DROP CONSTRAINT operation_currency_check;
                UPDATE operation SET currency = 'euro' WHERE operation_id = '%s'
                """.formatted(unreadable));
        try {
            assertThat(ends.runOnce()).isEqualTo(1);
            assertThat(books.operation(id).settledAt()).isPresent();
            assertThat(ends.runOnce()).isZero();
        } finally {
            books.rewrite("""
                    UPDATE operation SET currency = 'EUR';
                    ALTER TABLE operation ADD CONSTRAINT operation_currency_check CHECK (currency ~ '^[A-Z]{3}$')
                    """);
        }
        assertThat(ends.runOnce()).as("it is tried again").isEqualTo(1);
    }
}
