// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.WaitingRows;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayments;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WaitingTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();
    private static final WaitingRows waiting = new WaitingRows(rows);

    @Test
    void what_waits_is_told_by_tier_and_cause_with_money_and_due_times() {
        waiting.scheduled(1);
        waiting.scheduled(1);
        waiting.parked(2);
        rows.dead();
        rows.unresolved();
        waiting.presentedAgain();
        Called called = call("waiting");
        assertThat(called.exit()).isZero();
        assertThat(called.out().lines().toList()).containsExactly(
                "TIER     STATE      CAUSE         PSP     COUNT      MONEY  NEXT DUE  LAST DUE",
                "retry-1  scheduled  psp_unwell    stripe      2  25.98 EUR  in 59m    in 59m",
                "retry-2  parked     breaker_open  –           1  12.99 EUR  in 59m    in 59m", "3 in all.",
                "1 declined payment waits in no tier, the first due in 2d: to be presented again, or to end as declined. --now leaves "
                        + "them. --stop takes those that are to be presented again.");
        assertThat(call("waiting", "--json").json()).hasSize(3).last()
                .satisfies(total -> assertThat(total.at("/total/count").asInt()).isEqualTo(3));
    }

    @Test
    void each_payment_is_listed_by_filters_and_ids() {
        String scheduled = waiting.scheduled(1);
        String parked = waiting.parked(2);
        String key = rows.text("SELECT idempotency_key FROM operation WHERE operation_id = '" + parked + "'");
        assertThat(listed("--each")).containsExactlyInAnyOrder(scheduled, parked);
        for (List<String> filter : List.of(List.of("--tier", "2"), List.of("--cause", "breaker_open"), List.of("--key", key))) {
            assertThat(listed(filter.get(0), filter.get(1), "--each")).containsExactly(parked);
        }
        assertThat(listed("--psp", "stripe", "--each")).containsExactly(scheduled);
        assertThat(listed(parked)).containsExactly(parked);
        assertThat(call("waiting", "--each", "--limit", "1").out()).contains("There are more");
        assertThat(call("waiting", "--cause", "breaker_opn").err()).contains("Did you mean breaker_open?");
        assertThat(call("waiting", "--merchant", "acne").exit()).isEqualTo(2);
        Called dead = call("waiting", rows.dead());
        assertThat(dead.exit()).isEqualTo(1);
        assertThat(dead.err()).contains("1 of these waits in no tier: chargeonce dlq why ID tells where it is");
    }

    @Test
    void a_key_that_nothing_has_is_refused_and_of_one_that_does_not_wait_is_told_what_became_of_it() {
        String dead = rows.dead();
        String key = rows.text("SELECT idempotency_key FROM operation");
        for (List<String> command : List.of(List.of("--each"), List.of("--now", "--yes"), List.of("--stop", "--reason", "r"))) {
            Called unknown = call(Stream.concat(Stream.of("waiting", "--key", "typed-wrong"), command.stream()).toArray(String[]::new));
            assertThat(unknown.exit()).isEqualTo(2);
            assertThat(unknown.err()).contains("--key is 'typed-wrong', which no payment or refund has.");
            Called named = call(Stream.concat(Stream.of("waiting", "--key", key), command.stream()).toArray(String[]::new));
            assertThat(named.exit()).isOne();
            assertThat(named.err()).contains("nothing with the name '" + key + "' waits so", dead, "charge 12.99 EUR of acme, dead");
        }
    }

    @Test
    void without_yes_nothing_changes() {
        String id = waiting.scheduled(1);
        String before = rows.everything();
        assertThat(call("waiting", id, "--now").out()).contains("1 in all.", "Nothing was changed. With --yes they are tried now");
        assertThat(call("waiting", "--all", "--stop", "--reason", "r").out()).contains("go to the dead-letter queue");
        assertThat(call("waiting", "--stop", "--yes").err()).contains("name ids or a filter, or say --all", "--reason is missing");
        assertThat(call("waiting", "--yes").err()).contains("--all, --yes and --reason go with --now or --stop");
        assertThat(call("waiting", id, "--now", "--stop", "--reason", "r", "--yes").exit()).isEqualTo(2);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void now_stages_it_on_the_main_topic_under_the_same_step_and_leaves_its_schedule() {
        String id = waiting.scheduled(2);
        String other = waiting.scheduled(1);
        String schedule =
                "SELECT concat_ws('/', state, step, tier, counted_attempts, sequence, generation, charge_before) FROM operation_state"
                        + " WHERE operation_id = '" + id + "'";
        String before = rows.text(schedule);
        Called now = call("waiting", id, "--now", "--reason", "the PSP is well", "--yes");
        assertThat(now.exit()).as(now.err()).isZero();
        assertThat(now.out()).contains("    1  12.99 EUR  staged to be tried now", "as run_");
        assertThat(rows.text(schedule)).isEqualTo(before);
        assertThat(rows.text("SELECT not_before <= now() FROM operation_state WHERE operation_id = '" + id + "'")).isEqualTo("t");
        assertThat(rows.staged("payments.requests", id)).isEqualTo("record");
        assertThat(rows.staged("payments.requests", other)).isEqualTo("nothing");
        assertThat(rows.audit(id)).isEqualTo("dlq.retried_now");
        assertThat(call("why", id).out()).contains("dlq.retried_now by ann in run_", ": the PSP is well");
        assertThat(call("audit").out()).contains("dlq.retried_now", "12.99 EUR");
    }

    @Test
    void what_is_tried_now_is_not_met_twice_by_one_call_however_much_waits() {
        for (int i = 0; i < 3; i++) {
            waiting.scheduled(1);
        }
        rows.text("UPDATE operation_state SET not_before = now() - interval '1 minute' RETURNING 1");
        assertThat(call("waiting", "--all", "--now", "--yes", "--json").json().getFirst().at("/results/retried/count").asInt())
                .isEqualTo(3);
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE topic = 'payments.requests'")).isEqualTo("3");
    }

    @Test
    void stop_moves_it_to_the_queue_with_the_reason_and_a_merge_of_its_run_undoes_it() {
        String id = waiting.parked(2);
        Called stop = call("waiting", id, "--stop", "--reason", "cancelled by the merchant", "--yes");
        assertThat(stop.exit()).as(stop.err()).isZero();
        assertThat(stop.out()).contains("stopped: in the dead-letter queue",
                "To undo it:  chargeonce dlq merge --cause stopped --run run_");
        assertThat(rows.letter(id)).isEqualTo("dead/1");
        assertThat(rows.staged("payments.dlq", id)).isEqualTo("record");
        assertThat(rows.audit(id)).isEqualTo("dlq.stopped");
        assertThat(call("show", id).out().replaceAll("\\s+", " ")).contains("cause stopped",
                "stopped while it was parked in retry-2: cancelled by the merchant; last failure: breaker_open no PSP is well",
                "takes it only by its id or with --cause stopped");
        assertThat(call("list", "--standing", "stopped", "--json").json().getFirst().path("standing").asString()).isEqualTo("stopped");
        assertThat(call("summary").out()).contains("only by name: a person stopped it on purpose");
        String run = stop.out().lines().filter(line -> line.startsWith("To undo it")).findFirst().orElseThrow()
                .replaceAll(".*--run (\\S+).*", "$1");
        String another = rows.dead();
        call("merge", "--cause", "stopped", "--run", run, "--yes", "--wait", "0");
        assertThat(rows.accepted()).containsExactly(id);
        assertThat(rows.letter(another)).isEqualTo("dead/1");
    }

    @Test
    void a_planned_presentation_is_stopped_and_never_tried_now() {
        String id = waiting.presentedAgain();
        assertThat(call("waiting", id, "--now", "--yes").exit()).isEqualTo(1);
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("0");
        Called look = call("waiting", "--all", "--stop", "--reason", "cancelled by the merchant");
        assertThat(look.out()).contains("presentation", "1 in all");
        assertThat(call("waiting", id, "--stop", "--reason", "cancelled by the merchant", "--yes").exit()).isZero();
        assertThat(rows.letter(id)).isEqualTo("dead/1");
        assertThat(call("show", id).out().replaceAll("\\s+", " "))
                .contains("stopped while it waited for its next presentation: cancelled by the merchant; last failure: insufficient_funds");
        assertThat(call("purge", id, "--reason", "cancelled by the merchant", "--yes").exit()).isZero();
        assertThat(rows.text("SELECT count(*) FROM waiting WHERE list = 'presentation'")).isEqualTo("0");
    }

    @Test
    void what_ends_by_its_decline_is_not_stopped_because_a_merge_would_charge_it() {
        String listed = waiting.endsByDecline();
        String parked = waiting.endsByDeclineLater(2);
        String other = waiting.presentedAgain();
        assertThat(call("waiting", "--all", "--stop", "--reason", "r").out()).contains("3 in all",
                "Those with the cause decline_unverified are left: they end as declined.");
        Called stop = call("waiting", "--all", "--stop", "--reason", "r", "--yes");
        assertThat(stop.exit()).isOne();
        assertThat(stop.out()).contains("1  12.99 EUR  stopped: in the dead-letter queue",
                "2  25.98 EUR  not stopped: it was declined, and ends so unless a PSP has another attempt of it");
        assertThat(rows.letter(listed) + " " + rows.letter(parked) + " " + rows.letter(other)).isEqualTo("nothing nothing dead/1");
        assertThat(rows.operation(listed).endsByDecline()).isTrue();
    }

    @Test
    void a_merge_leaves_what_a_person_stopped_unless_it_is_named() {
        String id = waiting.parked(2);
        call("waiting", id, "--stop", "--reason", "cancelled by the merchant", "--yes");
        String run = rows.text("SELECT data ->> 'run' FROM audit_record WHERE action = 'dlq.stopped'");
        for (String[] all : new String[][] {{"--all"}, {"--merchant", "acme"}, {"--standing", "stopped"}, {"--run", run}}) {
            String[] merge = Stream.concat(Stream.of("merge"), Stream.concat(Stream.of(all), Stream.of("--yes"))).toArray(String[]::new);
            assertThat(call(merge).out()).as(String.join(" ", merge)).contains("refused and left as it was");
        }
        assertThat(rows.accepted()).isEmpty();
        assertThat(rows.letter(id)).isEqualTo("dead/1");
        call("merge", id, "--yes", "--wait", "0");
        assertThat(rows.accepted()).containsExactly(id);
    }

    private static AuditContext planned(RunKind kind, Instant asOf) {
        AuditContext by = AuditContext.of("ann", Optional.of("r"));
        new DlqRuns(rows.queue()).plan(kind, WaitingFilter.everything(), asOf, by, RunTerms.UNATTENDED);
        return by;
    }

    @Test
    void what_was_tried_since_it_was_selected_is_not_tried_now_once_more_and_what_was_only_parked_again_is() {
        String succeeded = waiting.scheduled(1);
        String failedAgain = waiting.scheduled(1);
        String parkedAgain = waiting.parked(1);
        AuditContext by = planned(RunKind.RETRY_NOW, WaitingPayments.now(rows.queue()));
        rows.succeed(succeeded);
        rows.retry(failedAgain, 2, "the PSP answered 500");
        waiting.park(parkedAgain, 2);
        var results = new DlqRuns(rows.queue()).unattended(by);
        assertThat(results.of(MoveResult.GONE).count()).isEqualTo(2);
        assertThat(rows.staged("payments.requests", parkedAgain)).isEqualTo("record");
        assertThat(rows.text("SELECT count(*) FROM outbox WHERE topic = 'payments.requests'")).isEqualTo("1");
    }

    @Test
    void what_was_tried_since_it_was_shown_is_not_tried_now_once_more() {
        String id = waiting.scheduled(1);
        Instant shown = WaitingPayments.now(rows.queue());
        rows.retry(id, 1, "the PSP answered 500");
        assertThat(new DlqRuns(rows.queue()).unattended(planned(RunKind.RETRY_NOW, shown)).total().count()).isZero();
        assertThat(rows.staged("payments.requests", id)).isEqualTo("nothing");
    }

    @Test
    void a_stop_takes_what_still_waits_however_often_it_was_tried_or_parked_since_it_was_selected() {
        String succeeded = waiting.scheduled(1);
        String failedAgain = waiting.scheduled(1);
        String parkedAgain = waiting.parked(1);
        Instant selected = WaitingPayments.now(rows.queue());
        waiting.park(parkedAgain, 1);
        AuditContext by = planned(RunKind.STOP, selected);
        rows.succeed(succeeded);
        rows.retry(failedAgain, 2, "the PSP answered 500");
        waiting.park(parkedAgain, 2);
        var results = new DlqRuns(rows.queue()).unattended(by);
        assertThat(results.of(MoveResult.STOPPED).count()).isEqualTo(2);
        assertThat(rows.letter(failedAgain) + " " + rows.letter(parkedAgain) + " " + rows.letter(succeeded))
                .isEqualTo("dead/1 dead/1 nothing");
        assertThat(rows.text("SELECT count(*) FROM waiting")).isEqualTo("0");
    }

    @Test
    void a_stop_of_an_earlier_generation_leaves_what_a_person_sent_back_since() {
        String id = waiting.scheduled(1);
        AuditContext early = planned(RunKind.STOP, WaitingPayments.now(rows.queue()));
        call("waiting", id, "--stop", "--reason", "r", "--yes");
        call("merge", id, "--yes", "--wait", "0");
        waiting.park(id, 1);
        assertThat(new DlqRuns(rows.queue()).unattended(early).of(MoveResult.GONE).count()).isOne();
        assertThat(rows.operation(id).waitsInATier()).isTrue();
    }

    @Test
    void a_stop_that_does_not_stop_all_of_its_set_says_so_and_exits_with_a_no() {
        for (int i = 0; i < 3; i++) {
            waiting.parked(1);
        }
        call("waiting", "--all", "--stop", "--canary", "1", "--reason", "r", "--yes");
        rows.text("SELECT operation_id FROM waiting").lines().forEach(rows::succeed);
        Called rest = call("waiting", "--resume", rows.text("SELECT run_id FROM dlq_run"));
        assertThat(rest.exit()).isOne();
        assertThat(rest.out()).contains("    2  25.98 EUR  stopped: in the dead-letter queue",
                "    1  12.99 EUR  not stopped: it was being tried, or ended, or was merged");
    }

    @Test
    void what_may_have_taken_money_is_never_touched() {
        String unresolved = rows.unresolved();
        String before = rows.everything();
        for (String kind : List.of("--now", "--stop")) {
            assertThat(call("waiting", "--all", kind, "--reason", "r", "--yes").out()).isEqualTo("Nothing waits in the tiers.\n");
            assertThat(call("waiting", unresolved, kind, "--reason", "r", "--yes").exit()).isEqualTo(1);
        }
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void a_person_stops_no_more_alone_than_the_limit_of_four_eyes() {
        waiting.scheduled(1);
        String second = waiting.scheduled(1);
        rows.text("INSERT INTO four_eyes VALUES ('*', 1) RETURNING 1");
        String before = rows.everything();
        Called both = call("waiting", "--all", "--stop", "--reason", "r", "--yes");
        assertThat(both.exit()).isEqualTo(1);
        assertThat(both.out()).contains("is more than you may do alone within 24 hours", "chargeonce dlq waiting --resume run_");
        assertThat(rows.everything()).isEqualTo(before);
        assertThat(call("waiting", second, "--stop", "--reason", "r", "--yes").exit()).isZero();
        assertThat(call("waiting", "--all", "--now", "--yes").exit()).as("to try them now charges nothing that would not be charged")
                .isZero();
        rows.text("DELETE FROM four_eyes RETURNING 1");
    }

    @Test
    void the_canary_of_a_stop_stops_before_the_rest_and_resume_goes_on() {
        for (int i = 0; i < 3; i++) {
            waiting.scheduled(1);
        }
        Called canary = call("waiting", "--all", "--stop", "--canary", "1", "--reason", "r", "--yes");
        assertThat(canary.exit()).as(canary.err()).isEqualTo(1);
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(canary.out().replaceAll("\\s+", " ")).contains("1 of the canary's 1 are stopped; a person looks at them first",
                "chargeonce dlq waiting --resume " + run);
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("1");
        assertThat(call("waiting", "--resume", run, "--all").err()).contains("name only the run");
        assertThat(call("purge", "--resume", run).err()).contains("chargeonce dlq waiting --resume " + run);

        Called rest = call("waiting", "--resume", run, "--json");
        assertThat(rest.exit()).as(rest.err()).isZero();
        assertThat(rest.json().getFirst().at("/results/stopped/count").asInt()).isEqualTo(3);
        assertThat(rows.text("SELECT count(*) FROM audit_record WHERE action = 'dlq.stopped'")).isEqualTo("3");
        assertThat(call("runs", "show", run).out()).contains("3 payments", "stopped: in the dead-letter queue", "  kind      stop\n")
                .doesNotContain("\n\n\n");
    }

    @Test
    void a_planned_stop_moves_nothing_until_it_is_resumed() {
        String id = waiting.parked(1);
        Called plan = call("waiting", "--all", "--stop", "--plan", "--reason", "r");
        assertThat(plan.exit()).as(plan.err()).isZero();
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(plan.out()).contains("1 payment, 12.99 EUR.", "Frozen as " + run, "chargeonce dlq waiting --resume " + run);
        assertThat(rows.letter(id)).isEqualTo("nothing");
        assertThat(call("waiting", "--all", "--now", "--plan", "--yes").err()).contains("--plan moves nothing and --yes does it");
        assertThat(call("waiting", "--resume", run).exit()).isZero();
        assertThat(rows.letter(id)).isEqualTo("dead/1");
    }

    @Test
    void who_only_looks_may_list_and_change_nothing() {
        String id = waiting.scheduled(1);
        String before = rows.everything();
        assertThat(Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "waiting", id).exit()).isZero();
        for (String kind : List.of("--now", "--stop")) {
            Called refused = Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "waiting", id, kind, "--reason", "r", "--yes");
            assertThat(refused.exit()).isEqualTo(2);
            assertThat(refused.err()).contains("this role may not do that");
        }
        assertThat(rows.everything()).isEqualTo(before);
    }

    private static List<String> listed(String... filters) {
        var arguments = new ArrayList<>(List.of("waiting", "--json"));
        arguments.addAll(List.of(filters));
        return call(arguments.toArray(String[]::new)).json().stream().map(line -> line.path("operation_id").asString()).toList();
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
