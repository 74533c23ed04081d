// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.WaitingRows;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.payment.OperationState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** People cancel payments, wherever they stand. */
class CancelTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();
    private static final WaitingRows waiting = new WaitingRows(rows);
    /** As charge reports after a restore: attempts may be lost. */
    private static final String ASK_FIRST = """
            INSERT INTO psp_health (psp, process, good_at, open, failed_in_a_row, failed_payments, told_at, ask_first_until)
            VALUES ('stripe', gen_random_uuid(), now(), false, 0, '', now(), now() + interval '1 hour') RETURNING 1""";

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }

    private static Called cancel(String id) {
        return call("cancel", id, "--reason", "order cancelled", "--yes");
    }

    private static OperationState state(String id) {
        return rows.operation(id).state();
    }

    @Test
    void what_has_no_open_attempt_is_canceled_in_every_state() {
        for (String id : new String[] {rows.dead(), waiting.scheduled(1), waiting.parked(2), rows.accepted("acme")}) {
            Called called = cancel(id);
            assertThat(called.exit()).as(called.err()).isZero();
            assertThat(called.out()).contains(id + ", 12.99 EUR, ", ": canceled.");
            assertThat(state(id)).isEqualTo(OperationState.CANCELED);
            assertThat(rows.text("SELECT action || ' ' || reason || ' ' || (data ->> 'status') FROM audit_record WHERE resource_id = '" + id
                    + "' AND action LIKE 'dlq.%'")).isEqualTo("dlq.canceled order cancelled canceled");
        }
    }

    @Test
    void without_yes_nothing_changes_and_each_is_shown() {
        String dead = rows.dead();
        String unresolved = rows.unresolved();
        String open = rows.deadWithAnOpenAttempt();
        String charged = rows.accepted("acme");
        rows.succeed(charged);
        String before = rows.everything();
        Called called = call("cancel", dead, unresolved, open, charged, "pay_unknown", "--reason", "r");
        assertThat(called.exit()).isOne();
        assertThat(called.out().lines().toList()).containsExactly(
                dead + ", 12.99 EUR, dead: would be canceled.",
                unresolved + ", 700 JPY, unresolved: the PSP would be queried, and it would be canceled unless it was charged.",
                open + ", 9.00 EUR, dead: the PSP would be queried, and it would be canceled unless it was charged.",
                charged + ", 12.99 EUR, succeeded: was charged already; refund it.",
                "pay_unknown: there is no payment with this id.", "Nothing was changed. Do it with --yes.");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void after_a_restore_the_psps_are_queried_first_and_what_only_a_person_can_judge_is_refused() {
        rows.text(ASK_FIRST);
        try {
            String id = rows.dead();
            assertThat(call("cancel", id, "--reason", "r").out()).contains("the PSP would be queried");
            assertThat(cancel(id).out()).contains("the PSP is queried");
            assertThat(call("why", id).out()).contains("now scheduled and to be canceled");
            String found = rows.dead();
            rows.text("UPDATE operation_state SET failure_cause = 'found_at_psp' WHERE operation_id = '" + found + "' RETURNING 1");
            for (Called called : List.of(call("cancel", found, "--reason", "r"), cancel(found))) {
                assertThat(called.exit()).isOne();
                assertThat(called.out()).contains("counts as charged", "merge it");
            }
        } finally {
            rows.text("DELETE FROM psp_health RETURNING 1");
        }
    }

    @Test
    void what_may_have_been_charged_is_queried_and_a_repeat_gives_the_same() {
        String id = rows.unresolved();
        assertThat(cancel(id).out()).contains("the PSP is queried, and it is canceled unless it was charged");
        assertThat(rows.operation(id).isCanceling()).isTrue();
        assertThat(cancel(id).exit()).isZero();
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.canceled'")).isEqualTo("1");
        assertThat(call("why", id).out()).contains("now unresolved and to be canceled", "dlq.canceled");
    }

    private static DlqRuns runs() {
        return new DlqRuns(rows.queue());
    }

    /** A run that is frozen and not led yet. */
    private static AuditContext planned(RunKind kind, String id) {
        AuditContext by = AuditContext.of("ann", Optional.of("a test"));
        runs().plan(kind, kind.plan(rows.queue(), DeadLetterFilter.ofIds(List.of(id))).selection(), by, RunTerms.UNATTENDED);
        return by;
    }

    @Test
    void a_canceled_payment_is_never_merged_purged_or_restored() {
        noRunMovesWhatIsCanceled(OperationState.CANCELED);
        rows.text(ASK_FIRST);
        try {
            noRunMovesWhatIsCanceled(OperationState.SCHEDULED);
        } finally {
            rows.text("DELETE FROM psp_health RETURNING 1");
        }
    }

    private static void noRunMovesWhatIsCanceled(OperationState afterwards) {
        String id = rows.dead();
        AuditContext merge = planned(RunKind.MERGE, id);
        AuditContext purge = planned(RunKind.PURGE, id);
        cancel(id);
        assertThat(runs().unattended(merge).of(MoveResult.GONE).count()).isOne();
        assertThat(runs().unattended(purge).of(MoveResult.GONE).count()).isOne();
        String purged = rows.dead();
        runs().unattended(planned(RunKind.PURGE, purged));
        AuditContext restore = planned(RunKind.RESTORE, purged);
        cancel(purged);
        assertThat(runs().unattended(restore).of(MoveResult.GONE).count()).isOne();
        assertThat(List.of(state(id), state(purged))).containsOnly(afterwards);
        assertThat(List.of(rows.letter(id), rows.letter(purged))).as("only charge lets them go").containsExactly("dead/1", "purged/2");
    }

    @Test
    void what_was_purged_for_good_has_one_end_and_is_not_canceled() {
        String id = rows.dead();
        runs().unattended(planned(RunKind.PURGE, id));
        rows.text("UPDATE operation_state SET settled_at = now() WHERE operation_id = '" + id + "' RETURNING 1");
        assertThat(call("cancel", id, "--reason", "r").out()).contains("was purged and has ended");
        Called called = cancel(id);
        assertThat(called.exit()).isOne();
        assertThat(called.out()).contains("was purged and has ended; there is nothing to cancel.");
        assertThat(state(id)).isEqualTo(OperationState.PURGED);
    }

    @Test
    void one_person_cancels_no_more_alone_than_the_limit_of_four_eyes() {
        String first = waiting.scheduled(1);
        String second = waiting.scheduled(1);
        rows.text("INSERT INTO four_eyes VALUES ('*', 1) RETURNING 1");
        try {
            assertThat(cancel(first).exit()).isZero();
            Called refused = cancel(second);
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("may cancel alone within 24 hours; another person may cancel the rest");
            assertThat(state(second)).isEqualTo(OperationState.SCHEDULED);
        } finally {
            rows.text("DELETE FROM four_eyes RETURNING 1");
        }
    }

    @Test
    void who_only_looks_cancels_nothing() {
        String id = waiting.scheduled(1);
        Called refused = Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "cancel", id, "--reason", "r", "--yes");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("this role may not do that");
        assertThat(state(id)).isEqualTo(OperationState.SCHEDULED);
    }

    @Test
    void a_cancel_needs_a_reason() {
        assertThat(call("cancel", rows.dead(), "--yes").exit()).isEqualTo(2);
    }
}
