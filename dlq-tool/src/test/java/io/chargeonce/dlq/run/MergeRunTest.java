// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MergeRunTest {

    private static final RunTerms CAREFUL = new RunTerms(OptionalInt.of(5), OptionalInt.empty(), OptionalInt.empty(), 10, false);
    private static final RunTerms NO_CANARY = new RunTerms(OptionalInt.of(0), OptionalInt.empty(), OptionalInt.empty(), 10, false);
    private static final RunTerms USUAL = new RunTerms(OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), 10, false);
    private static final RunTerms FIVE_A_SECOND = new RunTerms(OptionalInt.of(0), OptionalInt.of(5), OptionalInt.of(5), 10, false);

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private Instant now = Instant.parse("2026-03-01T03:00:00Z");
    private final InstantSource clock = () -> now;

    @Test
    void the_rest_waits_until_the_canary_has_ended_well() {
        rows.dead(12);
        RunLeader leader = lead(plan(CAREFUL));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(5));
        assertThat(leader.runOnce()).isInstanceOf(RunStep.Waits.class);
        rows.accepted().subList(0, 4).forEach(rows::succeed);
        assertThat(leader.runOnce()).isInstanceOf(RunStep.Waits.class);
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'dead'")).isEqualTo("7");

        rows.accepted().forEach(rows::succeed);
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(7));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Finished());
        assertThat(run(leader).state()).isEqualTo(RunState.FINISHED);
        assertThat(counts(leader.progress().outcomes())).containsExactly(12L, 5L, 0L, 0L, 0L);
    }

    @Test
    void a_canary_that_fails_again_stops_the_run() {
        rows.dead(12);
        RunLeader leader = lead(plan(CAREFUL));
        leader.runOnce();
        rows.fail(rows.accepted().getFirst(), "still unwell");
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Aborted("1 of the canary's 5 failed again"));
        assertThat(run(leader).state()).isEqualTo(RunState.ABORTED);
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'dead'")).isEqualTo("8");
        assertThat(rows.audit(leader.led().id())).isEqualTo("dlq.run.planned dlq.run.led dlq.run.aborted");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "8, 1", "20, 1", "21, 2", "100, 5", "2500, 100"})
    void the_usual_canary_is_a_share_of_what_would_be_charged_so_that_a_small_set_is_not_all_canary(int dead, int canary) {
        rows.unresolved();
        if (dead > 0) {
            rows.dead(dead);
        }
        assertThat(plan(USUAL).terms().canary()).isEqualTo(canary);
    }

    @Test
    void a_run_that_has_sent_everything_waits_for_the_last_as_long_as_it_was_told_to() {
        rows.dead(3);
        RunLeader leader = lead(plan(NO_CANARY));
        var brake = new Brake();
        var progress = CompletableFuture.supplyAsync(() -> leader.run(brake, Duration.ofMinutes(1)), Thread::startVirtualThread);
        await().until(() -> rows.accepted().size() == 3);
        rows.accepted().forEach(rows::succeed);
        assertThat(progress.join()).isEqualTo(new RunStep.Finished());
        assertThat(counts(leader.progress().outcomes())).containsExactly(3L, 3L, 0L, 0L, 0L);
        assertThat(leader.progress().outcomes().succeeded()).isEqualTo(Sum.ofRow("EUR", 3, 3 * 1299));
    }

    @Test
    void a_brake_while_the_last_are_awaited_ends_the_run_for_nothing_of_it_is_left() {
        rows.dead(3);
        RunLeader leader = lead(plan(NO_CANARY));
        var brake = new Brake();
        var end = CompletableFuture.supplyAsync(() -> leader.run(brake, Duration.ofMinutes(1)), Thread::startVirtualThread);
        await().until(() -> leader.progress().phase() == RunProgress.Phase.LAST_ARE_AWAITED);
        brake.press();
        assertThat(end.join()).isEqualTo(new RunStep.Finished());
    }

    @Test
    void a_run_without_a_canary_whose_payments_die_again_is_aborted_though_all_were_sent() {
        rows.dead(12);
        RunLeader leader = lead(plan(NO_CANARY));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(12));
        rows.accepted().subList(0, 2).forEach(id -> rows.fail(id, "refused again"));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Aborted("2 of 12 failed again"));
        assertThat(run(leader).state()).isEqualTo(RunState.ABORTED);
        assertThat(run(leader).sum()).isEqualTo(Sum.ofRow("EUR", 12, 12 * 1299));
        RunLeader again = lead(run(leader));
        assertThat(again.runOnce()).as("a person has seen it").isEqualTo(new RunStep.Finished());
    }

    @Test
    void a_canary_that_was_published_and_not_charged_yet_has_not_ended() {
        rows.dead(6);
        RunLeader leader = lead(plan(CAREFUL));
        leader.runOnce();
        rows.text("DELETE FROM outbox RETURNING 1");
        assertThat(leader.runOnce()).isInstanceOf(RunStep.Waits.class);
    }

    @Test
    void an_aborted_run_that_is_resumed_sends_a_canary_of_its_own_first() {
        rows.dead(12);
        RunLeader first = lead(plan(CAREFUL));
        first.runOnce();
        rows.accepted().forEach(id -> rows.fail(id, "still unwell"));
        assertThat(first.runOnce()).isInstanceOf(RunStep.Aborted.class);

        RunLeader second = lead(first.led());
        assertThat(second.runOnce()).isEqualTo(new RunStep.Moved(5));
        assertThat(second.runOnce()).isInstanceOf(RunStep.Waits.class);
        rows.accepted().forEach(rows::succeed);
        assertThat(second.runOnce()).isEqualTo(new RunStep.Moved(2));
        assertThat(counts(second.progress().outcomes())).containsExactly(12L, 5L, 0L, 5L, 0L);
    }

    @Test
    void a_run_that_began_well_stops_when_too_many_fail_later() {
        rows.dead(60);
        RunLeader leader = lead(plan(new RunTerms(OptionalInt.of(0), OptionalInt.of(30), OptionalInt.of(30), 10, false)));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(30));
        rows.accepted().subList(0, 27).forEach(rows::succeed);
        rows.accepted().forEach(id -> rows.fail(id, "unwell"));
        now = now.plusSeconds(1);
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(30));
        rows.accepted().forEach(id -> rows.fail(id, "unwell"));
        now = now.plusSeconds(1);
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Aborted("33 of the last 60 failed again"));
    }

    @Test
    void the_rate_doubles_while_all_goes_well_up_to_its_limit() {
        rows.dead(40);
        RunLeader leader = lead(plan(new RunTerms(OptionalInt.of(0), OptionalInt.of(2), OptionalInt.of(5), 10, false)));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(2));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Waits(Duration.ofSeconds(1)));
        now = now.plusSeconds(11);
        assertThat(leader.runOnce()).as("nothing has ended yet, so nothing is known to go well").isEqualTo(new RunStep.Moved(2));
        rows.accepted().forEach(rows::succeed);
        now = now.plusSeconds(11);
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(4));
        rows.accepted().forEach(rows::succeed);
        now = now.plusSeconds(11);
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(5));
    }

    @Test
    void what_cannot_be_merged_costs_nothing_of_the_rate() {
        for (int i = 0; i < 20; i++) {
            rows.poison(new byte[] {(byte) i});
        }
        rows.dead(10);
        RunLeader leader = lead(plan(FIVE_A_SECOND));
        while (rows.accepted().isEmpty()) {
            assertThat(leader.runOnce()).as("poison is older and comes first").isInstanceOf(RunStep.Moved.class);
        }
        assertThat(leader.runOnce()).as("the payments keep to the rate").isEqualTo(new RunStep.Waits(Duration.ofSeconds(1)));
        assertThat(rows.accepted()).hasSize(5);
    }

    @Test
    void a_killed_run_is_resumed_where_it_ended_and_moves_nothing_twice() {
        rows.dead(9);
        DlqRun planned = plan(FIVE_A_SECOND);
        RunLeader killed = lead(planned);
        assertThat(killed.runOnce()).isEqualTo(new RunStep.Moved(5));
        assertThat(take(planned)).as("its leader may still be alive").isEmpty();

        silenceOf(planned);
        RunLeader second = lead(planned);
        assertThat(second.runOnce()).isEqualTo(new RunStep.Moved(4));
        now = now.plusSeconds(1);
        assertThat(second.runOnce()).isEqualTo(new RunStep.Finished());
        assertThat(killed.runOnce()).as("it was only thought to be dead").isEqualTo(new RunStep.Lost());
        assertThat(second.progress().results().of(MoveResult.REENTERED).count()).isEqualTo(9);
        assertEachWasMovedOnce(9);
    }

    @Test
    void of_two_batches_at_once_one_may_fail_and_the_next_leader_moves_its_payments_and_no_others() {
        List<String> dead = rows.dead(502);
        DlqRun planned = plan(NO_CANARY);
        RunLeader first = lead(planned);
        CompletableFuture<RunStep> step = rows.holding(dead.getLast(), () -> {
            var moving = CompletableFuture.supplyAsync(first::runOnce, Thread::startVirtualThread);
            await().until(() -> rows.accepted().size() == 500 && rows.isWaitingForALock());
            rows.text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = "
                            + "'Lock'");
            assertThat(moving).failsWithin(Duration.ofSeconds(10)).withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(DatabaseUnavailable.class);
            return moving;
        });
        assertThat(step).isCompletedExceptionally();
        assertThat(rows.accepted()).hasSize(500);

        silenceOf(planned);
        RunLeader second = lead(planned);
        assertThat(second.run(new Brake())).isEqualTo(new RunStep.Finished());
        assertThat(second.progress().results().of(MoveResult.REENTERED).count()).isEqualTo(502);
        assertEachWasMovedOnce(502);
    }

    private static void assertEachWasMovedOnce(int payments) {
        assertThat(rows.text("SELECT count(*) || ' ' || count(DISTINCT record_key) FROM outbox WHERE topic = 'payments.requests'"))
                .isEqualTo(payments + " " + payments);
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.merged'")).isEqualTo("" + payments);
        assertThat(rows.text("SELECT min(generation) || ' ' || max(generation) FROM operation_state")).isEqualTo("2 2");
    }

    @Test
    void a_stopped_run_can_be_resumed_at_once() {
        rows.dead(12);
        DlqRun planned = plan(NO_CANARY);
        var brake = new Brake();
        brake.press();
        assertThat(lead(planned).run(brake)).isEqualTo(new RunStep.Stopped());
        assertThat(lead(planned).run(new Brake())).isEqualTo(new RunStep.Finished());
        assertThat(take(planned)).isEmpty();
    }

    @Test
    void a_cancelled_run_stops_at_its_next_batch_and_is_never_resumed() {
        rows.dead(9);
        RunLeader leader = lead(plan(FIVE_A_SECOND));
        leader.runOnce();
        assertThat(new DlqRuns(rows.queue()).cancel(by(leader.led().id()))).isTrue();
        now = now.plusSeconds(1);
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Lost());
        assertThat(take(leader.led())).isEmpty();
        assertThat(new DlqRuns(rows.queue()).cancel(by(leader.led().id()))).isFalse();
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'dead'")).isEqualTo("4");
    }

    @Test
    void a_leader_waits_for_a_person_who_is_cancelling_its_run_and_then_has_lost_it() {
        rows.dead(6);
        RunLeader leader = lead(plan(CAREFUL));
        leader.runOnce();
        CompletableFuture<RunStep> step = rows.owner().inTransaction(connection -> {
            RunRows.cancel(connection, leader.led().id());
            var looking = CompletableFuture.supplyAsync(leader::runOnce, Thread::startVirtualThread);
            await().until(() -> looking.isDone() || rows.isWaitingLongForALock());
            return looking;
        });
        assertThat(step.join()).isEqualTo(new RunStep.Lost());
        assertThat(run(leader).state()).isEqualTo(RunState.CANCELLED);
    }

    @Test
    void a_batch_that_is_under_way_when_its_run_is_cancelled_moves_nothing() {
        List<String> dead = rows.dead(2);
        RunLeader leader = lead(plan(NO_CANARY));
        String before = rows.everything();
        CompletableFuture<RunStep> step = rows.holding(dead.getLast(), () -> {
            var moving = CompletableFuture.supplyAsync(leader::runOnce, Thread::startVirtualThread);
            await().until(rows::isWaitingForALock);
            assertThat(new DlqRuns(rows.queue()).cancel(by(leader.led().id()))).isTrue();
            return moving;
        });
        assertThat(step.join()).isEqualTo(new RunStep.Lost());
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void two_runs_over_the_same_set_move_each_payment_once() {
        rows.dead(20);
        DlqRun mine = plan(NO_CANARY);
        DlqRun theirs = plan(NO_CANARY);
        assertThat(mine.fingerprint()).isEqualTo(theirs.fingerprint());
        lead(mine).run(new Brake());
        RunLeader late = lead(theirs);
        late.run(new Brake());
        assertThat(late.progress().results().of(MoveResult.GONE).count()).isEqualTo(20);
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE topic = 'payments.requests'")).isEqualTo("20");
    }

    @Test
    void a_frozen_set_does_not_grow_and_another_set_has_another_fingerprint() {
        rows.dead(3);
        DlqRun planned = plan(NO_CANARY);
        rows.dead();
        RunLeader leader = lead(planned);
        leader.run(new Brake());
        assertThat(leader.progress().results().total().count()).isEqualTo(3);
        assertThat(plan(NO_CANARY).fingerprint()).isNotEqualTo(planned.fingerprint());
    }

    @Test
    void a_plan_has_the_fingerprint_of_the_run_that_freezes_it() {
        rows.dead(3);
        rows.poison(new byte[] {1});
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        assertThat(new DlqRuns(rows.queue()).plan(RunKind.MERGE, plan.selection(), by(), NO_CANARY).fingerprint())
                .isEqualTo(plan.fingerprint());
    }

    @Test
    void a_payment_that_died_too_often_needs_a_person() {
        String id = rows.dead();
        for (int merges = 0; merges < DeadLetterQuery.MOST_MERGES; merges++) {
            lead(plan(NO_CANARY)).run(new Brake());
            rows.fail(id, "again");
        }
        RunLeader usual = lead(plan(NO_CANARY));
        usual.run(new Brake());
        assertThat(usual.progress().results().of(MoveResult.REFUSED).count()).isEqualTo(1);
        RunLeader byAPerson = lead(plan(new RunTerms(OptionalInt.of(0), OptionalInt.empty(), OptionalInt.empty(), 10, true)));
        byAPerson.run(new Brake());
        assertThat(byAPerson.progress().results().of(MoveResult.REENTERED).count()).isEqualTo(1);
    }

    @Test
    void past_its_deadline_a_payment_is_shown_as_such_and_gets_a_new_one() {
        String id = rows.dead();
        rows.text("UPDATE dead_letter SET charge_before = now() - interval '1 hour' RETURNING 1");
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        assertThat(plan.standings().of(MoneyStatus.PAST_DEADLINE).count()).isEqualTo(1);
        lead(plan(NO_CANARY)).run(new Brake());
        assertThat(rows.operation(id).chargeBefore()).isAfter(rows.operation(id).stagedAt());
    }

    @Test
    void what_became_of_a_run_stays_when_others_merge_the_same_payments_later() {
        String id = rows.dead();
        RunLeader first = lead(plan(NO_CANARY));
        first.run(new Brake());
        rows.fail(id, "again");
        assertThat(counts(outcomes(first))).containsExactly(1L, 0L, 0L, 1L, 0L);
        RunLeader second = lead(plan(NO_CANARY));
        second.run(new Brake());
        rows.succeed(id);
        assertThat(counts(outcomes(first))).containsExactly(1L, 0L, 0L, 1L, 0L);
        assertThat(counts(outcomes(second))).containsExactly(1L, 1L, 0L, 0L, 0L);
    }

    @Test
    void the_canary_is_what_would_be_charged_again() {
        List<String> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(rows.poison(new byte[] {(byte) i}));
            others.add(rows.charged());
        }
        rows.dead(6);
        RunLeader leader = lead(plan(CAREFUL));
        assertThat(leader.runOnce()).isEqualTo(new RunStep.Moved(5));
        assertThat(rows.accepted()).hasSize(5).doesNotContainAnyElementsOf(others);
    }

    private static DlqRun plan(RunTerms terms) {
        return new DlqRuns(rows.queue()).plan(RunKind.MERGE, Plan.of(rows.queue(), DeadLetterFilter.everything()).selection(), by(), terms);
    }

    private static AuditContext by() {
        return AuditContext.of("ann", Optional.of("a test"));
    }

    private static AuditContext by(String run) {
        return new AuditContext("bob", Optional.of("a test"), run);
    }

    private Optional<RunLeader> take(DlqRun run) {
        return new DlqRuns(rows.queue()).take(by(run.id()), clock, progress -> {});
    }

    private RunLeader lead(DlqRun run) {
        return take(run).orElseThrow();
    }

    private static DlqRun run(RunLeader leader) {
        return new DlqRuns(rows.queue()).find(leader.led().id()).orElseThrow();
    }

    private static List<Long> counts(Outcomes outcomes) {
        return Stream.of(outcomes.entered(), outcomes.succeeded(), outcomes.declined(), outcomes.failedAgain(), outcomes.unresolved())
                .map(Sum::count).toList();
    }

    private static Outcomes outcomes(RunLeader leader) {
        return new DlqRuns(rows.queue()).report(leader.led().id()).orElseThrow().outcomes();
    }

    private static void silenceOf(DlqRun run) {
        rows.text("UPDATE dlq_run SET led_at = led_at - interval '20 s' WHERE run_id = '" + run.id() + "' RETURNING 1");
    }
}
