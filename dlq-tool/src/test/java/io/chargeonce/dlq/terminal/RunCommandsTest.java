// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.FaultyDriver;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.WaitingRows;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunLeader;
import io.chargeonce.dlq.run.RunStep;
import io.chargeonce.dlq.run.Watch;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.terminal.page.RunBar;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

class RunCommandsTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void a_planned_run_is_confirmed_by_its_id() {
        rows.dead(3);
        Called plan = call("merge", "--all", "--canary", "0", "--plan", "--json");
        String run = plan.json().getFirst().path("run").asString();
        assertThat(rows.accepted()).isEmpty();
        rows.dead();
        Called resume = call("merge", "--resume", run, "--wait", "0");
        assertThat(resume.exit()).isZero();
        assertThat(resume.out()).contains("38.97 EUR", "re-entered the pipeline", "runs show " + run);
        assertThat(rows.accepted()).hasSize(3);
        assertThat(call("merge", "--resume", run, "--wait", "0").err()).contains("has ended: finished");
    }

    @Test
    void runs_are_listed_and_shown_with_what_became_of_them() {
        rows.dead(2);
        String run = call("merge", "--all", "--canary", "0", "--yes", "--wait", "0", "--reason", "well again", "--json").json().getFirst()
                .path("run").asString();
        rows.succeed(rows.accepted().getFirst());
        assertThat(call("runs").out()).contains(run + "  merge", "    2  25.98 EUR  finished", "well again", "ann");
        assertThat(call("runs", "show", run).out())
                .contains("2 dead letters, 25.98 EUR", "rechargeable", "    1  12.99 EUR  succeeded",
                        "    1  12.99 EUR  still under way");
        JsonNode json = call("runs", "show", run, "--json").json().getFirst();
        assertThat(json.at("/outcomes/succeeded/count").asInt()).isEqualTo(1);
        assertThat(json.at("/outcomes/succeeded/money/EUR").asInt()).isEqualTo(1299);
        assertThat(call("runs", "--json").json().getFirst().at("/money/EUR").asInt()).isEqualTo(2598);
        assertThat(call("runs", "show", "run_nobody").exit()).isEqualTo(1);
    }

    @Test
    void a_run_whose_canary_fails_again_exits_with_a_no_and_says_how_to_go_on() {
        rows.dead(10);
        var merge = CompletableFuture.supplyAsync(() -> call("merge", "--all", "--canary", "2", "--yes", "--wait", "0"),
                Thread::startVirtualThread);
        await().until(() -> rows.accepted().size() == 2);
        rows.accepted().forEach(id -> rows.fail(id, "still unwell"));
        assertThat(merge.join().exit()).isEqualTo(1);
        // The run may look between the two failures, and stops at the first.
        assertThat(merge.join().out()).containsPattern("[12] of the canary's 2 failed again").contains("merge --resume run_");
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE generation = 1")).isEqualTo("8");
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(call("list", "--run", run, "--json").json()).as("its whole set").hasSize(10);
        assertThat(call("list", "--run", run, "--died-again", "--json").json()).as("not what it never sent").hasSize(2)
                .allSatisfy(letter -> assertThat(letter.path("generation").asInt()).isEqualTo(2));
        assertThat(call("list", "--died-again").err()).contains("--died-again goes with --run");
        assertThat(call("list", "--purged", "--run", run, "--died-again").out())
                .contains("Nothing purged of this kind is left to restore.");
    }

    @Test
    void a_run_whose_payments_die_again_has_stopped_and_exits_with_a_no_though_all_were_sent() {
        rows.dead(3);
        var merge = CompletableFuture.supplyAsync(() -> call("merge", "--all", "--canary", "0", "--wait", "10m", "--yes"),
                Thread::startVirtualThread);
        await().until(() -> rows.accepted().size() == 3);
        rows.accepted().forEach(id -> rows.fail(id, "refused again"));
        assertThat(merge.join().exit()).isEqualTo(1);
        assertThat(merge.join().out()).containsPattern("\\d  +\\d+[.]\\d\\d EUR  failed again")
                .containsPattern("Aborted by the run itself: [123] of 3 failed again. All of it was sent")
                .contains(" --died-again").doesNotContain("To go on");
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(call("runs").out()).contains("aborted").containsPattern("[123] of 3 failed").doesNotContain("finished");
        assertThat(call("runs", "show", run, "--json").json().getFirst().path("state").asString()).isEqualTo("aborted");
        assertThat(call("list", "--run", run, "--died-again", "--json").json()).hasSize(3);
        assertThat(Watch.now(rows.queue()).runs()).as("nothing of it is left to move").isEmpty();
    }

    @Test
    void the_progress_has_the_money_that_was_dealt_with_where_there_is_room_for_all_of_it() {
        rows.dead();
        rows.dead("globex", 700, "JPY", "the PSP answered 500");
        String run = call("merge", "--all", "--canary", "0", "--plan", "--json").json().getFirst().path("run").asString();
        RunLeader leader = new DlqRuns(rows.queue())
                .take(new AuditContext("ann", Optional.empty(), run), InstantSource.system(), progress -> {}).orElseThrow();
        leader.run(new Brake());
        assertThat(RunBar.inWords(leader.progress(), 80)).isEqualTo("0 ok, 0 failed, 2 open, 12.99 EUR, 700 JPY");
        assertThat(RunBar.inWords(leader.progress(), 40)).isEqualTo("0 ok, 0 failed, 2 open");
    }

    @Test
    void a_run_whose_payments_die_after_it_has_ended_has_stopped_once_someone_looks() {
        rows.dead(3);
        String run = call("merge", "--all", "--canary", "0", "--wait", "0", "--yes", "--json").json().getFirst().path("run").asString();
        assertThat(call("runs").out()).contains("finished");
        rows.accepted().forEach(id -> rows.fail(id, "refused again"));
        assertThat(Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "runs", "show", run).out())
                .as("who may only read sees it too").contains("aborted: 3 of 3 failed again", "    3  38.97 EUR  failed again");
        assertThat(rows.text("SELECT state FROM dlq_run")).isEqualTo("finished");
        assertThat(call("runs", "show", run).out()).contains("aborted: 3 of 3 failed again");
        assertThat(call("runs").out()).contains("aborted", "3 of 3 failed again").doesNotContain("finished");
        assertThat(call("merge", "--resume", run, "--wait", "0").exit()).as("a person has seen it").isZero();
        assertThat(call("runs", "show", run).out()).contains("finished", "    3  38.97 EUR  failed again");
    }

    @Test
    void of_what_is_unresolved_a_plan_says_that_it_is_asked_about_and_its_run_what_became_of_it() {
        String charged = rows.unresolved();
        String dead = rows.unresolved();
        rows.unresolved();
        rows.dead();
        Called plan = call("merge", "--all");
        assertThat(plan.out()).contains("    1  12.99 EUR  rechargeable  tried again; nothing was charged",
                "    3   2100 JPY  unresolved    queried, not charged",
                "queried, not charged: the money may have been taken, so the PSP is queried before");
        Called merge = call("merge", "--all", "--wait", "0", "--yes");
        assertThat(merge.exit()).isZero();
        assertThat(merge.out()).contains("    3   2100 JPY  queried: not known yet");
        String run = rows.text("SELECT run_id FROM dlq_run");
        rows.resolve(charged, new Outcome.Charged("pi_found"));
        rows.resolve(dead, new Outcome.Failed(FailureCause.PSP_UNWELL, "it was never executed"));
        assertThat(call("runs", "show", run).out()).contains("    1  12.99 EUR  still under way",
                "    1    700 JPY  queried: succeeded",
                "    1    700 JPY  queried: not charged, dead", "    1    700 JPY  queried: not known yet");
        JsonNode json = call("runs", "show", run, "--json").json().getFirst();
        assertThat(json.path("state").asString()).as("what was asked about and not charged is no failure of the run").isEqualTo("finished");
        assertThat(json.at("/asked/asked/money/JPY").asInt()).isEqualTo(2100);
        assertThat(json.at("/asked/not_charged/count").asInt()).isEqualTo(1);
        assertThat(json.at("/asked/open/money/JPY").asInt()).isEqualTo(700);
    }

    @Test
    void a_payment_that_dies_again_and_again_stays_one_line_until_it_needs_a_person_who_names_it() {
        String id = rows.dead();
        for (int generation = 2; generation <= 6; generation++) {
            assertThat(call("merge", "--all", "--canary", "0", "--yes", "--wait", "0").exit()).isZero();
            rows.fail(id, "still unwell");
            assertThat(call("list", "--json").json()).singleElement().extracting(line -> line.path("generation").asInt())
                    .isEqualTo(generation);
        }
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("1");
        assertThat(rows.letter(id)).as("every landing and every merge is a revision of the one line").isEqualTo("dead/11");
        assertThat(call("show", id).out()).contains("it was merged 5 times and died each time");
        assertThat(call("merge", "--all").out()).contains("merged too often", "needs a person");
        assertThat(call("merge", "--all", "--yes", "--wait", "0", "--canary", "0").out()).contains("refused and left as it was");
        assertThat(rows.accepted()).isEmpty();
        assertThat(call("merge", id, "--yes", "--wait", "0").exit()).as("named, but not with --even-capped").isEqualTo(1);
        assertThat(call("merge", id, "--even-capped", "--yes", "--wait", "0", "--canary", "0").exit()).isZero();
        assertThat(rows.accepted()).containsExactly(id);
    }

    @Test
    void a_run_that_loses_postgres_says_how_to_go_on() {
        rows.dead(2);
        String run = call("merge", "--all", "--canary", "0", "--plan", "--json").json().getFirst().path("run").asString();
        Called cut =
                Called.of(() -> new DeadLetterQueue(Database.openForCommand(FaultyDriver.cutting(rows.url(), 8, FaultyDriver.Cut.BEFORE),
                        "postgres", ""), QueueRows.TOPICS), "merge", "--resume", run, "--wait", "0");
        assertThat(cut.exit()).isEqualTo(3);
        assertThat(cut.err()).contains("to go on: chargeonce dlq merge --resume " + run, "Postgres can't be reached");
    }

    @Test
    void a_run_that_another_process_leads_is_left_to_it() {
        rows.dead(2);
        String run = call("merge", "--all", "--plan", "--json").json().getFirst().path("run").asString();
        new DlqRuns(rows.queue()).take(new AuditContext("bob", Optional.empty(), run), InstantSource.system(), progress -> {})
                .orElseThrow();
        var resume = CompletableFuture.supplyAsync(() -> call("merge", "--resume", run, "--wait", "0"), Thread::startVirtualThread);
        await().until(() -> {
            rows.text("UPDATE dlq_run SET led_at = clock_timestamp() RETURNING 1");
            return resume.isDone();
        });
        assertThat(resume.join().exit()).isEqualTo(1);
        assertThat(resume.join().err()).containsPattern("is led by ann, who was heard \\d+ s ago; waiting")
                .contains(run + " is led by ann right now");
        assertThat(rows.accepted()).isEmpty();
    }

    @Test
    void a_running_merge_follows_the_rate_that_another_sets_and_lets_go_when_another_stops_it() {
        rows.dead(40);
        var merge = CompletableFuture.supplyAsync(
                () -> call("merge", "--all", "--canary", "0", "--rate", "1", "--max-rate", "1", "--yes", "--wait", "0"),
                Thread::startVirtualThread);
        await().until(() -> !rows.accepted().isEmpty());
        String run = rows.text("SELECT run_id FROM dlq_run");

        Called stop = call("runs", "stop", run);

        assertThat(stop.exit()).as(stop.err()).isZero();
        assertThat(stop.out()).contains("merge --resume " + run);
        assertThat(merge.join().exit()).isEqualTo(1);
        assertThat(merge.join().out()).contains("Stopped: a person stopped this run from elsewhere.",
                "To go on:           chargeonce dlq merge --resume " + run);
        assertThat(rows.accepted()).hasSizeLessThan(40);
        assertThat(call("runs", "stop", run).exit()).isEqualTo(1);
        var resume = CompletableFuture.supplyAsync(() -> call("merge", "--resume", run, "--wait", "0"), Thread::startVirtualThread);
        assertThat(call("runs", "rate", run, "1000", "--json").json().getFirst().path("rate").asInt()).isEqualTo(1000);
        assertThat(resume.join().exit()).isZero();
        assertThat(rows.accepted()).hasSize(40);
        assertThat(call("runs", "rate", run, "5").err()).contains("or it has ended");
        assertThat(call("runs", "rate", run, "fast").exit()).isEqualTo(2);
    }

    @Test
    void a_leader_whose_run_another_person_cancels_names_that_person_and_nothing_to_go_on_with() {
        rows.dead(6);
        var merge = CompletableFuture.supplyAsync(() -> call("merge", "--all", "--canary", "1", "--yes", "--wait", "0"),
                Thread::startVirtualThread);
        await().until(() -> !rows.accepted().isEmpty());
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(call("purge", "--cancel", run)).isEqualTo(
                new Called(1, "", "dlq purge: %s is a merge: chargeonce dlq merge --cancel %1$s\n".formatted(run)));
        assertThat(rows.text("SELECT state FROM dlq_run")).isEqualTo("running");
        assertThat(call("merge", "--cancel", run).exit()).isZero();
        assertThat(merge.join().exit()).isOne();
        assertThat(merge.join().out()).contains("Stopped: the run was cancelled by ann.").doesNotContain("To go on");
        assertThat(merge.join().err()).isEmpty();
    }

    @Test
    void a_merge_into_a_pause_names_it_in_the_plan_and_does_not_wait_for_it_without_end() {
        rows.dead(6);
        rows.text("INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT DO NOTHING RETURNING 1");
        call("pause", "merchant", "acme", "--reason", "they asked", "--yes");
        assertThat(call("merge", "--all").out()).contains("Merchant acme is paused by ann since ",
                "What it holds only waits in the tiers.");
        var merge = CompletableFuture.supplyAsync(() -> call("merge", "--all", "--canary", "2", "--yes", "--wait", "1s"),
                Thread::startVirtualThread);
        await().until(() -> rows.accepted().size() == 2);
        rows.accepted().forEach(id -> new WaitingRows(rows).park(id, 1));
        assertThat(merge.join().exit()).isOne();
        assertThat(merge.join().err()).contains("merchant acme is paused by ann, and the canary waits for that; waiting 1 s");
        assertThat(merge.join().out()).contains("Stopped: merchant acme is paused by ann, and the canary waits for that.",
                "To go on:           chargeonce dlq merge --resume run_");
        assertThat(rows.text("SELECT state FROM dlq_run")).isEqualTo("running");
    }

    @Test
    void a_run_without_a_patience_waits_for_its_held_canary_until_a_person_stops_it() {
        rows.dead(2);
        rows.text("INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT DO NOTHING RETURNING 1");
        call("pause", "merchant", "acme", "--reason", "they asked", "--yes");
        String run = call("merge", "--all", "--canary", "1", "--plan", "--json").json().getFirst().path("run").asString();
        var reports = new CopyOnWriteArrayList<String>();
        RunLeader leader = new DlqRuns(rows.queue()).take(new AuditContext("ann", Optional.empty(), run), InstantSource.system(),
                progress -> progress.heldBy().ifPresent(reports::add)).orElseThrow();
        var brake = new Brake();
        var end = CompletableFuture.supplyAsync(() -> leader.run(brake), Thread::startVirtualThread);
        await().until(() -> rows.accepted().size() == 1);
        new WaitingRows(rows).park(rows.accepted().getFirst(), 1);
        await().until(() -> end.isDone() || reports.size() > 2);
        brake.press();
        assertThat(end.join()).isEqualTo(new RunStep.Stopped());
        assertThat(reports).containsOnly("merchant acme is paused by ann");
    }

    @Test
    void who_only_looks_is_not_told_to_go_on_with_a_run_that_never_began() {
        rows.dead(2);
        String run = call("merge", "--all", "--plan", "--json").json().getFirst().path("run").asString();
        Called refused = Called.of(() -> rows.openAs("chargeonce_dlq_reader"), "merge", "--resume", run);
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("this role may not do that").doesNotContain("to go on");
    }

    @Test
    void a_purge_of_which_the_canary_leaves_nothing_is_finished() {
        List<String> dead = rows.dead(2);
        String run = call("purge", dead.getFirst(), dead.getLast(), "--canary", "2", "--plan", "--reason", "r", "--json").json().getFirst()
                .path("run").asString();
        call("purge", dead.getLast(), "--reason", "r", "--yes");
        Called resumed = call("purge", "--resume", run);
        assertThat(resumed.exit()).as(resumed.out()).isZero();
        assertThat(resumed.out()).contains("another person or run moved it meanwhile").doesNotContain("died again");
        assertThat(rows.text("SELECT state FROM dlq_run WHERE run_id = '" + run + "'")).isEqualTo("finished");
    }

    @Test
    void a_cancelled_run_is_never_resumed() {
        rows.dead(2);
        String run = call("merge", "--all", "--plan", "--json").json().getFirst().path("run").asString();
        assertThat(call("merge", "--cancel", run)).isEqualTo(new Called(0, run + " is cancelled. It had moved nothing.\n", ""));
        assertThat(call("runs", "show", run).out()).contains("  state     cancelled by ann\n");
        assertThat(call("merge", "--resume", run, "--wait", "0").exit()).isEqualTo(1);
        assertThat(call("merge", "--cancel", run).exit()).isEqualTo(1);
        assertThat(rows.accepted()).isEmpty();
    }

    @Test
    void a_purge_that_is_stopped_half_way_goes_on_with_resume_and_takes_each_letter_once() {
        List<String> dead = rows.dead(30);
        var purge = CompletableFuture.supplyAsync(
                () -> call("purge", "--all", "--rate", "1", "--reason", "r", "--yes"), Thread::startVirtualThread);
        await().until(() -> rows.text("SELECT count(*) > 1 FROM operation_now WHERE state = 'purged'").equals("t"));
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(call("runs", "stop", run).out()).contains("To go on:   chargeonce dlq purge --resume " + run);
        assertThat(purge.join().exit()).isEqualTo(1);
        assertThat(purge.join().out()).contains("Stopped: a person stopped this run from elsewhere.",
                "To go on:           chargeonce dlq purge --resume " + run);
        assertThat(rows.text("SELECT count(*) < 30 FROM operation_now WHERE state = 'purged'")).isEqualTo("t");

        assertThat(call("merge", "--resume", run).err()).contains(run + " is a purge: chargeonce dlq purge --resume " + run);
        call("runs", "rate", run, "1000");
        Called resumed = call("purge", "--resume", run);
        assertThat(resumed.exit()).as(resumed.err()).isZero();
        assertThat(resumed.out()).contains("30  389.70 EUR  purged", "To undo it:  chargeonce dlq restore --run " + run);
        EachOnce.purged(rows, dead);
    }

    @Test
    void the_canary_of_a_purge_stops_before_the_rest_until_a_person_resumes_it() {
        List<String> dead = rows.dead(6);
        rows.charged();
        Called canary = call("purge", "--all", "--canary", "2", "--reason", "r", "--yes");
        assertThat(canary.exit()).isEqualTo(1);
        String run = rows.text("SELECT run_id FROM dlq_run");
        assertThat(canary.out().replaceAll("\\s+", " ")).contains("2 25.98 EUR purged",
                "Aborted by the run itself: 2 of the canary's 2 are purged; a person looks at them first. Nothing more moves",
                "To go on: chargeonce dlq purge --resume " + run);
        assertThat(call("runs", "show", run).out()).contains("canary 2\n").doesNotContain("aborts above");
        assertThat(rows.text("SELECT string_agg(action, ' ' ORDER BY audit_id) FROM audit_record WHERE resource_type = 'dlq_run'"))
                .isEqualTo("dlq.run.planned dlq.run.led dlq.run.aborted");
        call("runs", "rate", run, "1000");
        assertThat(call("audit", "--json").json().stream().map(line -> line.path("action").asString() + " " + line.path("count").asInt()))
                .containsExactly("dlq.run.planned 7", "dlq.run.led 7", "dlq.purged 2", "dlq.run.aborted 0", "dlq.run.rate_set 0");
        assertThat(call("show", rows.text("SELECT dead_letter_id FROM dead_letter WHERE state = 'purged'")).out())
                .contains("dlq.purged by ann in " + run + ": r");

        Called rest = call("purge", "--resume", run, "--json");
        assertThat(rest.exit()).as(rest.err()).isZero();
        assertThat(rest.json().getFirst().at("/fates/purged/count").asInt()).isEqualTo(6);
        assertThat(rest.json().getFirst().at("/fates/refused/count").asInt()).isEqualTo(1);
        assertThat(rest.json().getFirst().at("/standings/charged/count").asInt()).isEqualTo(1);
        EachOnce.purged(rows, dead);
    }

    @Test
    void a_canary_that_is_the_whole_set_stops_nothing() {
        rows.dead(2);
        assertThat(call("purge", "--all", "--canary", "5", "--reason", "r", "--yes").exit()).isZero();
        String purge = rows.text("SELECT run_id FROM dlq_run");
        assertThat(call("restore", "--run", purge, "--canary", "1", "--reason", "r", "--yes").out())
                .contains("1 of the canary's 1 are restored; a person looks at them first");
        assertThat(rows.text("SELECT count(*) FROM operation_now WHERE state = 'purged'")).isEqualTo("1");
    }

    @Test
    void a_frozen_purge_takes_exactly_what_was_frozen() {
        List<String> dead = rows.dead(2);
        String run = call("purge", "--all", "--plan", "--reason", "r", "--json").json().getFirst().path("run").asString();
        String later = rows.dead();
        assertThat(call("purge", "--resume", run).exit()).isZero();
        EachOnce.purged(rows, dead);
        assertThat(rows.letter(later)).isEqualTo("dead/1");
        String another = call("purge", "--all", "--plan", "--reason", "r", "--json").json().getFirst().path("run").asString();
        assertThat(call("purge", "--cancel", another).out()).isEqualTo(another + " is cancelled. It had moved nothing.\n");
        assertThat(rows.letter(later)).isEqualTo("dead/1");
    }

    @Test
    void another_set_than_the_expected_one_is_refused() {
        rows.dead(2);
        String fingerprint = call("merge", "--all", "--json").json().getFirst().path("fingerprint").asString();
        assertThat(call("merge", "--all", "--expect-fingerprint", fingerprint).exit()).isZero();
        rows.dead();
        String before = rows.everything();
        assertThat(call("merge", "--all", "--yes", "--expect-fingerprint", fingerprint).err()).contains("not the expected one");
        Called purge = call("purge", "--all", "--yes", "--reason", "r", "--expect-count", "2");
        assertThat(purge.exit()).isEqualTo(1);
        assertThat(purge.err()).contains("3 dead letters are meant now, not the 2 expected");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void what_makes_no_sense_together_is_told_at_once() {
        assertThat(call("merge", "--resume", "run_x", "--all").err()).contains("name only the run");
        assertThat(call("merge", "--resume", "run_x", "--cancel", "run_x").exit()).isEqualTo(2);
        assertThat(call("merge", "--all", "--even-capped", "--plan", "--yes", "--rate", "5", "--max-rate", "2", "--abort-above", "x")
                .err()).contains("--even-capped needs ids", "--plan moves nothing", "--max-rate is 2", "--abort-above is 'x'");
        assertThat(call("merge", "--resume", "run_nobody").err()).contains("there is no run 'run_nobody'");
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
