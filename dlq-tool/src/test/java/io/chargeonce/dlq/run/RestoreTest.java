// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.move.Brake;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.payment.OperationState;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RestoreTest {

    private static final DeadLetterFilter ALL = DeadLetterFilter.everything();

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void what_was_purged_comes_back_as_it_was_and_can_be_merged() {
        String id = rows.dead();
        String poison = rows.poison(new byte[] {1, 2});
        purge(false);
        assertThat(restore().of(MoveResult.RESTORED).count()).isEqualTo(2);

        assertThat(rows.operation(id).state()).isEqualTo(OperationState.DEAD);
        assertThat(rows.letter(id)).isEqualTo("dead/3");
        assertThat(rows.letter(poison)).isEqualTo("dead/3");
        assertThat(rows.staged("payments.dlq", id)).isEqualTo("record tombstone record");
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE record_key = '" + poison
                + "' AND convert_from(value, 'UTF8')::json -> 'source' ->> 'sealed' = (SELECT translate(encode(sealed_record, 'base64'), "
                + "E'\\n', '') "
                + "FROM dead_letter WHERE dead_letter_id = '" + poison + "')")).as("the same sealed bytes").isEqualTo("2");
        assertThat(rows.audit(id)).isEqualTo("dlq.purged dlq.restored");
        assertThat(rows.text("SELECT string_agg(data ->> 'revision', ' ' ORDER BY audit_id) FROM audit_record WHERE resource_id = '" + id
                + "' AND data ->> 'revision' IS NOT NULL")).as("one record for each revision").isEqualTo("1 2 3");
        Plan plan = Plan.of(rows.queue(), ALL.standing(MoneyStatus.RECHARGEABLE));
        run(RunKind.MERGE, plan, RunTerms.UNATTENDED);
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.ACCEPTED);
    }

    @Test
    void restoring_twice_is_restoring_once() {
        rows.dead(5);
        purge(false);
        Plan seen = Plan.ofPurged(rows.queue(), ALL);
        assertThat(restore().total().count()).isEqualTo(5);
        String after = rows.everything();
        assertThat(run(RunKind.RESTORE, seen, RunTerms.UNATTENDED).total().count()).isZero();
        assertThat(rows.everything()).isEqualTo(after);
    }

    @Test
    void after_the_retention_a_purge_is_for_good() {
        rows.dead();
        purge(false);
        rows.text("UPDATE dead_letter SET changed_at = now() - interval '31 days' RETURNING 1");
        assertThat(Plan.ofPurged(rows.queue(), ALL).standings().total().count()).isZero();
    }

    @Test
    void a_restore_selected_before_another_restored_and_merged_changes_nothing() {
        rows.dead();
        purge(false);
        AuditContext frozen = frozen();
        restore();
        assertThat(lead(frozen).of(MoveResult.GONE).count()).isEqualTo(1);
    }

    @Test
    void a_restore_that_was_selected_before_the_retention_ended_brings_nothing_back_after_it() {
        String id = rows.dead();
        purge(false);
        AuditContext frozen = frozen();
        rows.text("UPDATE operation_state SET settled_at = now() RETURNING 1");
        assertThat(lead(frozen).of(MoveResult.GONE).count()).isEqualTo(1);
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
        assertThat(rows.letter(id)).isEqualTo("purged/2");
    }

    @Test
    void an_unresolved_payment_is_purged_only_when_that_is_said_and_comes_back_unresolved() {
        String id = rows.unresolved();
        purge(false);
        assertThat(rows.letter(id)).isEqualTo("dead/1");
        purge(true);
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
        assertThat(rows.operation(id).isWatched()).as("its PSP is still asked").isTrue();
        restore();
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.UNRESOLVED);
        Plan plan = Plan.of(rows.queue(), ALL);
        assertThat(plan.standings().of(MoneyStatus.UNRESOLVED).count()).isEqualTo(1);
        run(RunKind.MERGE, plan, RunTerms.UNATTENDED);
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.UNRESOLVED);
        assertThat(rows.staged("payments.requests", id)).isEqualTo("nothing");
    }

    private static void purge(boolean evenUnresolved) {
        run(RunKind.PURGE, Plan.of(rows.queue(), ALL), RunTerms.UNATTENDED.evenUnresolved(evenUnresolved));
    }

    private static SumsByKind<MoveResult> restore() {
        return run(RunKind.RESTORE, Plan.ofPurged(rows.queue(), ALL), RunTerms.UNATTENDED);
    }

    /** A restore of what is purged now. */
    private static AuditContext frozen() {
        AuditContext by = by();
        new DlqRuns(rows.queue()).plan(RunKind.RESTORE, Plan.ofPurged(rows.queue(), ALL).selection(), by, RunTerms.UNATTENDED);
        return by;
    }

    private static SumsByKind<MoveResult> lead(AuditContext frozen) {
        RunLeader leader = new DlqRuns(rows.queue()).take(frozen, new SteadyClock(), progress -> {}).orElseThrow();
        assertThat(leader.run(new Brake())).isEqualTo(new RunStep.Finished());
        return leader.progress().results();
    }

    private static SumsByKind<MoveResult> run(RunKind kind, Plan plan, RunTerms terms) {
        return new DlqRuns(rows.queue()).unattended(kind, plan, by(), terms);
    }

    private static AuditContext by() {
        return AuditContext.of("ann", Optional.of("a test"));
    }
}
