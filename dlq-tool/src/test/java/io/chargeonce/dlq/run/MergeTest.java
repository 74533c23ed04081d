// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.runtime.SteadyClock;
import java.util.Map;
import io.chargeonce.database.Database;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.move.TargetTopics;
import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import io.chargeonce.wire.PaymentJson;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MergeTest {

    private static final AuditContext BY_A_TEST = AuditContext.of("ann", Optional.of("a test"));

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static AuditContext byATest() {
        return AuditContext.of("ann", Optional.of("a test"));
    }

    @Test
    void what_certainly_took_no_money_re_enters_at_the_front() {
        String id = rows.dead();
        int step = rows.operation(id).step();
        merge();

        assertThat(rows.operation(id).state()).isEqualTo(OperationState.ACCEPTED);
        assertThat(rows.operation(id).generation()).isEqualTo(2);
        assertThat(rows.letter(id)).isEqualTo("merged/2");
        assertThat(rows.staged("payments.dlq", id)).isEqualTo("record tombstone");
        assertThat(rows.audit(id)).isEqualTo("dlq.merged");
        var work = PaymentJson.MAPPER.readTree(rows.text(
                "SELECT convert_from(value, 'UTF8') FROM outbox WHERE topic = 'payments.requests'"));
        assertThat(work.path("step").asInt()).isEqualTo(step + 1);
    }

    @Test
    void what_was_charged_already_is_left_to_the_resolver_and_is_not_charged_again() {
        String id = rows.charged();
        assertThat(merge().of(MoveResult.ASKED).count()).isEqualTo(1);
        assertThat(dueForStatusQuery()).contains(id);
        assertThat(rows.letter(id)).isEqualTo("dead/2");
        assertThat(rows.staged("payments.requests", id)).isEqualTo("nothing");
        assertThat(rows.staged("payments.outcomes", id)).isEqualTo("nothing");
    }

    @Test
    void what_is_still_being_asked_about_is_not_charged_again_though_its_attempt_has_failed() {
        isAskedAboutAndStaysListed(rows.unresolvedWithoutAnOpenAttempt());
    }

    @Test
    void what_is_unresolved_goes_to_the_resolver_and_stays_listed() {
        isAskedAboutAndStaysListed(rows.unresolved());
    }

    private void isAskedAboutAndStaysListed(String id) {
        assertThat(merge().of(MoveResult.ASKED).count()).isEqualTo(1);
        assertThat(dueForStatusQuery()).contains(id);
        assertThat(rows.letter(id)).isEqualTo("dead/1");
        assertThat(rows.audit(id)).isEqualTo("dlq.asked");
        assertThat(rows.staged("payments.requests", id)).isEqualTo("nothing");
    }

    @Test
    void a_dead_operation_with_an_open_attempt_is_asked_about_and_not_charged_again() {
        String id = rows.deadWithAnOpenAttempt();
        merge();
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.UNRESOLVED);
        assertThat(dueForStatusQuery()).contains(id);
        assertThat(rows.text("SELECT cause FROM dead_letter")).isEqualTo("unresolved");
        assertThat(rows.staged("payments.requests", id)).isEqualTo("nothing");
    }

    @Test
    void poison_is_never_merged() {
        rows.poison(new byte[] {1, 2});
        String before = rows.everything();
        assertThat(merge().of(MoveResult.REFUSED).count()).isEqualTo(1);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void a_plan_changes_nothing_and_counts_money_per_standing_and_currency() {
        rows.dead();
        rows.dead("globex", 5000, "JPY", "the PSP answered 500");
        rows.charged();
        rows.unresolved();
        rows.poison(new byte[] {1});
        String before = rows.everything();
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        assertThat(plan.standings().of(MoneyStatus.RECHARGEABLE).moneyLines()).containsExactly("12.99 EUR", "5000 JPY");
        assertThat(plan.standings().of(MoneyStatus.CHARGED).moneyLines()).containsExactly("5.00 EUR");
        assertThat(plan.standings().of(MoneyStatus.UNRESOLVED).moneyLines()).containsExactly("700 JPY");
        assertThat(plan.standings().of(MoneyStatus.POISON)).isEqualTo(Sum.ofRow(null, 1, 0));
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void merging_twice_is_merging_once() {
        rows.dead(7);
        assertThat(merge().total().count()).isEqualTo(7);
        String after = rows.everything();
        assertThat(merge().total().count()).isZero();
        assertThat(rows.everything()).isEqualTo(after);
    }

    @Test
    void a_run_does_not_move_again_what_fails_while_it_runs() {
        String id = rows.dead();
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        merge();
        rows.fail(id, "again");
        SumsByKind<MoveResult> late = run(RunKind.MERGE, plan);
        assertThat(late.total().count()).isZero();
        assertThat(rows.letter(id)).isEqualTo("dead/3");
    }

    @Test
    void people_who_merge_the_same_set_at_once_move_each_payment_once() {
        List<String> ids = rows.dead(450);
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        var merges = Stream.generate(() -> CompletableFuture.supplyAsync(() -> run(RunKind.MERGE, plan), Thread::startVirtualThread))
                .limit(3).toList();
        long moved = merges.stream().mapToLong(merge -> merge.join().of(MoveResult.REENTERED).count()).sum();

        assertThat(moved).isEqualTo(450);
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE topic = 'payments.requests'")).isEqualTo("450");
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE actor = 'ann' AND resource_type = 'operation'")).isEqualTo("450");
        assertThat(rows.text("SELECT max(generation) FROM operation_state")).isEqualTo("2");
        assertThat(ids).allSatisfy(id -> assertThat(rows.letter(id)).isEqualTo("merged/2"));
    }

    @Test
    void of_a_merge_and_a_purge_one_wins_each_payment() {
        rows.dead(450);
        Plan plan = Plan.of(rows.queue(), DeadLetterFilter.everything());
        var merge = CompletableFuture.supplyAsync(() -> run(RunKind.MERGE, plan), Thread::startVirtualThread);
        var purge = CompletableFuture.supplyAsync(() -> run(RunKind.PURGE, plan), Thread::startVirtualThread);
        long merged = merge.join().of(MoveResult.REENTERED).count();
        long purged = purge.join().of(MoveResult.PURGED).count();

        assertThat(merged + purged).isEqualTo(450);
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE actor = 'ann' AND resource_type = 'operation'")).isEqualTo("450");
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'accepted'")).isEqualTo("" + merged);
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'purged'")).isEqualTo("" + purged);
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE topic = 'payments.requests'")).isEqualTo("" + merged);
    }

    @Test
    void a_merge_waits_for_another_one_that_has_not_committed_and_finds_its_payment_gone() {
        String id = rows.dead();
        List<DeadLetterView> selected = selectAll();
        SumsByKind<MoveResult> second = whileMergeIsUncommitted(selected, () -> once(RunKind.MERGE, selected));
        assertThat(second.of(MoveResult.GONE).count()).isEqualTo(1);
        assertThat(rows.operation(id).generation()).isEqualTo(2);
        assertThat(rows.staged("payments.requests", id)).isEqualTo("record");
        assertThat(rows.audit(id)).isEqualTo("dlq.merged");
    }

    @Test
    void a_purge_waits_for_a_merge_that_has_not_committed_and_finds_its_payment_gone() {
        String id = rows.dead();
        List<DeadLetterView> selected = selectAll();
        SumsByKind<MoveResult> second = whileMergeIsUncommitted(selected, () -> once(RunKind.PURGE, selected));
        assertThat(second.of(MoveResult.GONE).count()).isEqualTo(1);
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.ACCEPTED);
        assertThat(rows.audit(id)).isEqualTo("dlq.merged");
    }

    @Test
    void a_merge_that_selected_what_was_purged_meanwhile_leaves_it_alone() {
        String id = rows.dead();
        List<DeadLetterView> selected = selectAll();
        once(RunKind.PURGE, selected);
        assertThat(once(RunKind.MERGE, selected).of(MoveResult.GONE).count()).isEqualTo(1);
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
    }

    @Test
    void a_stopped_merge_is_consistent_and_the_same_command_does_the_rest() {
        rows.dead(30);
        var brake = new Brake();
        var commits = new AtomicInteger();
        var runs = new DlqRuns(rows.queue());
        AuditContext by = byATest();
        runs.plan(RunKind.MERGE, Plan.of(rows.queue(), DeadLetterFilter.everything()).selection(), by,
                RunTerms.unjudged(OptionalInt.of(0), OptionalInt.of(10)));
        RunLeader leader = runs.take(by, new SteadyClock(), progress -> {
            commits.incrementAndGet();
            brake.press();
        }).orElseThrow();

        assertThat(leader.run(brake)).isEqualTo(new RunStep.Stopped());
        assertThat(commits).hasValue(1);
        assertThat(leader.progress().results().of(MoveResult.REENTERED).count()).isEqualTo(10);
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'accepted'")).isEqualTo("10");
        assertThat(merge().of(MoveResult.REENTERED).count()).isEqualTo(20);
    }

    /** Starts the second once the first has written, and lets the first commit once the second waits for its lock. */
    private static SumsByKind<MoveResult> whileMergeIsUncommitted(List<DeadLetterView> selected, Supplier<SumsByKind<MoveResult>> second) {
        return rows.queue().database().inTransaction(connection -> {
            on(connection, RunKind.MERGE, selected);
            var started = CompletableFuture.supplyAsync(second, Thread::startVirtualThread);
            await().until(rows::isWaitingForALock);
            return started;
        }).join();
    }

    private static SumsByKind<MoveResult> once(RunKind kind, List<DeadLetterView> selected) {
        return rows.queue().database().inTransaction(connection -> on(connection, kind, selected));
    }

    private static SumsByKind<MoveResult> on(Connection connection, RunKind kind, List<DeadLetterView> selected) throws SQLException {
        Database.waitForLocks(connection, DeadLetterQueue.LOCK_PATIENCE);
        List<Target> batch = selected.stream().map(Target::of).toList();
        Map<String, MoveResult> done = kind.moves(rows.queue(), RunTerms.UNATTENDED, new TargetTopics()).on(connection, batch, BY_A_TEST);
        var results = new SumsByKind<MoveResult>();
        selected.forEach(letter -> results.add(done.get(letter.id()), Sum.of(letter.money())));
        return results;
    }

    private static List<DeadLetterView> selectAll() {
        Selection all = Plan.of(rows.queue(), DeadLetterFilter.everything()).selection();
        return rows.queue().database()
                .withConnection(connection -> DeadLetterQuery.page(connection, all, Order.OLDEST_FIRST, Optional.empty(), 10));
    }

    private static Set<String> dueForStatusQuery() {
        return rows.queue().database().inTransaction(connection -> OperationTable.lockDueForStatusQuery(connection, "stripe", 100)).rows()
                .keySet();
    }

    private static SumsByKind<MoveResult> merge() {
        return run(RunKind.MERGE, Plan.of(rows.queue(), DeadLetterFilter.everything()));
    }

    private static SumsByKind<MoveResult> run(RunKind kind, Plan plan) {
        return new DlqRuns(rows.queue()).unattended(kind, plan, byATest(), RunTerms.UNATTENDED);
    }
}
