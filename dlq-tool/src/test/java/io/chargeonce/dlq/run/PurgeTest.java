// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.payment.OperationState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PurgeTest {

    private static final AuditContext BY_A_TEST = AuditContext.of("ann", Optional.of("a test"));

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void a_purge_ends_the_operation_and_leaves_a_tombstone_and_an_audit_record() {
        String id = rows.dead();
        Sweep.Result result = purge(DeadLetterFilter.ofIds(List.of(id)));

        assertThat(result.results().of(MoveResult.PURGED).moneyLines()).containsExactly("12.99 EUR");
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
        assertThat(rows.letter(id)).isEqualTo("purged/2");
        assertThat(rows.staged("payments.dlq", id)).isEqualTo("record tombstone");
        assertThat(rows.text(
                "SELECT actor || ' ' || action || ' ' || reason || ' ' || (data ->> 'run') FROM audit_record WHERE action = 'dlq.purged'"))
                .isEqualTo("ann dlq.purged a test " + BY_A_TEST.run());
    }

    @Test
    void a_purge_publishes_no_outcome() {
        String id = rows.dead();
        purge(DeadLetterFilter.everything());
        assertThat(rows.staged("payments.outcomes", id)).isEqualTo("nothing");
    }

    @Test
    void purging_twice_is_purging_once() {
        rows.dead(5);
        rows.poison(new byte[] {1});
        assertThat(purge(DeadLetterFilter.everything()).results().of(MoveResult.PURGED).count()).isEqualTo(6);
        String after = rows.everything();
        assertThat(purge(DeadLetterFilter.everything()).results().total().count()).isZero();
        assertThat(rows.everything()).isEqualTo(after);
    }

    @Test
    void money_that_was_or_may_have_been_taken_is_never_purged() {
        List<String> kept = List.of(rows.unresolved(), rows.charged(), rows.deadWithAnOpenAttempt());
        String before = rows.everything();
        Sweep.Result result = purge(DeadLetterFilter.ofIds(kept));
        assertThat(result.results().of(MoveResult.REFUSED).count()).isEqualTo(3);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void a_purge_of_what_may_have_been_charged_ends_the_letter_and_not_the_question() {
        List<String> ids = List.of(rows.unresolved(), rows.deadWithAnOpenAttempt());
        String due = rows.text("SELECT resolve_at FROM operation_now WHERE state = 'unresolved'");
        new Purge(rows.queue(), true).run(Plan.of(rows.queue(), DeadLetterFilter.ofIds(ids)), BY_A_TEST, Sweep.unattended());
        assertThat(ids).allSatisfy(id -> {
            assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
            assertThat(rows.operation(id).isWatched()).isTrue();
            assertThat(rows.letter(id)).isEqualTo("purged/2");
        });
        assertThat(rows.text("SELECT resolve_at FROM operation_now WHERE operation_id = '" + ids.getFirst() + "'")).isEqualTo(due);
    }

    @Test
    void purging_poison_touches_no_operation() {
        rows.dead();
        String poison = rows.poison(new byte[] {1, 2, 3});
        String operations = rows.text("SELECT string_agg(operation_now::text, '|') FROM operation_now");
        purge(DeadLetterFilter.everything().standing(MoneyStatus.POISON));
        assertThat(rows.letter(poison)).isEqualTo("purged/2");
        assertThat(rows.audit(poison)).isEqualTo("dlq.purged");
        assertThat(rows.text("SELECT string_agg(operation_now::text, '|') FROM operation_now")).isEqualTo(operations);
    }

    @Test
    void a_purge_never_hides_a_later_failure() {
        String id = rows.dead();
        Plan seen = Plan.of(rows.queue(), DeadLetterFilter.everything());
        List<DeadLetterView> selected = page(seen);
        new Merge(rows.queue()).run(seen, AuditContext.of("ann", Optional.empty()), Sweep.unattended());
        rows.fail(id, "failed again");

        assertThat(new Purge(rows.queue()).runOnce(selected, BY_A_TEST).of(MoveResult.GONE).count()).isEqualTo(1);
        assertThat(new Purge(rows.queue()).run(seen, BY_A_TEST, Sweep.unattended()).results().total().count()).isZero();
        assertThat(rows.letter(id)).isEqualTo("dead/3");
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.DEAD);
    }

    @Test
    void without_a_reason_there_is_no_purge() {
        rows.dead();
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        AuditContext noReason = AuditContext.of("ann", Optional.empty());
        assertThatThrownBy(() -> new Purge(rows.queue()).run(plan, noReason, Sweep.unattended())).hasMessageContaining("reason");
    }

    private static List<DeadLetterView> page(Plan plan) {
        return rows.queue().database().withConnection(
                connection -> DeadLetterQuery.page(connection, plan.selection(), Order.OLDEST_FIRST, Optional.empty(), 100));
    }

    private static Sweep.Result purge(DeadLetterFilter filter) {
        return new Purge(rows.queue()).run(Plan.of(rows.queue(), filter), BY_A_TEST, Sweep.unattended());
    }
}
