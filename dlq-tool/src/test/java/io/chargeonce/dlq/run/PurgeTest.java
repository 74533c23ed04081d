// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.payment.OperationState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PurgeTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void a_purge_ends_the_operation_and_leaves_a_tombstone_and_an_audit_record() {
        String id = rows.dead();
        SumsByKind<MoveResult> result = purge(DeadLetterFilter.ofIds(List.of(id)));

        assertThat(result.of(MoveResult.PURGED).moneyLines()).containsExactly("12.99 EUR");
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
        assertThat(rows.letter(id)).isEqualTo("purged/2");
        assertThat(rows.staged("payments.dlq", id)).isEqualTo("record tombstone");
        assertThat(rows.text(
                "SELECT actor || ' ' || action || ' ' || reason || ' ' || (data ->> 'run') FROM audit_record WHERE action = 'dlq.purged'"))
                .isEqualTo("ann dlq.purged a test " + rows.text("SELECT run_id FROM dlq_run"));
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
        assertThat(purge(DeadLetterFilter.everything()).of(MoveResult.PURGED).count()).isEqualTo(6);
        String after = rows.everything();
        assertThat(purge(DeadLetterFilter.everything()).total().count()).isZero();
        assertThat(rows.everything()).isEqualTo(after);
    }

    @Test
    void money_that_was_or_may_have_been_taken_is_never_purged() {
        List<String> kept = List.of(rows.unresolved(), rows.charged(), rows.deadWithAnOpenAttempt());
        String before = rows.everything();
        SumsByKind<MoveResult> result = purge(DeadLetterFilter.ofIds(kept));
        assertThat(result.of(MoveResult.REFUSED).count()).isEqualTo(3);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void a_purge_of_what_may_have_been_charged_ends_the_letter_and_not_the_status_query() {
        List<String> ids = List.of(rows.unresolved(), rows.deadWithAnOpenAttempt());
        String due = rows.text("SELECT resolve_at FROM operation_now WHERE state = 'unresolved'");
        run(RunKind.PURGE, Plan.of(rows.queue(), DeadLetterFilter.ofIds(ids)), RunTerms.UNATTENDED.evenUnresolved(true));
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
        var runs = new DlqRuns(rows.queue());
        AuditContext frozen = by();
        runs.plan(RunKind.PURGE, seen.selection(), frozen, RunTerms.UNATTENDED);
        run(RunKind.MERGE, seen, RunTerms.UNATTENDED);
        rows.fail(id, "failed again");

        RunLeader late = runs.take(frozen, new SteadyClock(), progress -> {}).orElseThrow();
        assertThat(late.run(new Brake())).isEqualTo(new RunStep.Finished());
        assertThat(late.progress().results().of(MoveResult.GONE).count()).isEqualTo(1);
        assertThat(run(RunKind.PURGE, seen, RunTerms.UNATTENDED).total().count()).isZero();
        assertThat(rows.letter(id)).isEqualTo("dead/3");
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.DEAD);
    }

    @Test
    void without_a_reason_there_is_no_purge() {
        rows.dead();
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        AuditContext noReason = AuditContext.of("ann", Optional.empty());
        assertThatThrownBy(() -> new DlqRuns(rows.queue()).unattended(RunKind.PURGE, plan, noReason, RunTerms.UNATTENDED))
                .hasMessageContaining("reason");
    }

    private static SumsByKind<MoveResult> purge(DeadLetterFilter filter) {
        return run(RunKind.PURGE, Plan.of(rows.queue(), filter), RunTerms.UNATTENDED);
    }

    private static SumsByKind<MoveResult> run(RunKind kind, Plan plan, RunTerms terms) {
        return new DlqRuns(rows.queue()).unattended(kind, plan, by(), terms);
    }

    private static AuditContext by() {
        return AuditContext.of("ann", Optional.of("a test"));
    }
}
