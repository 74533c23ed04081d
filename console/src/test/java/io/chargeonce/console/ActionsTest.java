// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.console.session.Sessions;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.runtime.SteadyClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people do in the console: exactly what was shown, with their own rights, and nothing twice. */
class ActionsTest {

    private static ConsoleWorld world;
    private static Browser operator;
    private static Browser reader;

    @BeforeAll
    static void start() {
        world = ConsoleWorld.start();
        operator = world.signIn(ConsoleWorld.OPERATOR);
        reader = world.signIn(ConsoleWorld.READER);
    }

    @AfterAll
    static void stop() {
        world.close();
    }

    @BeforeEach
    void empty() {
        world.rows.clear();
        world.rows.text("WITH gone AS (DELETE FROM four_eyes) SELECT 1");
        world.rows.text("WITH gone AS (DELETE FROM moved_alone) SELECT 1");
        world.rows.text("WITH gone AS (DELETE FROM approval) SELECT 1");
    }

    private static Map<String, Object> all(String kind, int count) {
        var body = new HashMap<String, Object>();
        body.put("kind", kind);
        body.put("filter", Map.of());
        body.put("reason", "the PSP is well again");
        body.put("canary", 0);
        body.put("expect", Map.of("count", count, "money", List.of(Map.of("currency", "EUR", "amount", 1299 * count))));
        return body;
    }

    private static Browser.Answer planned(Browser browser, Map<String, Object> body) {
        Browser.Answer run = browser.post("/api/runs", body);
        assertThat(run.status()).as(run.text()).isEqualTo(201);
        return run;
    }

    private static Browser.Answer begun(Browser browser, Browser.Answer run) {
        return browser.post("/api/runs/" + run.textAt("/run") + "/start", Map.of("fingerprint", run.textAt("/fingerprint")));
    }

    private static String state(String run) {
        return world.rows.text("SELECT state FROM dlq_run WHERE run_id = '" + run + "'");
    }

    private static long moved() {
        return Long.parseLong(world.rows.text("SELECT count(*) FROM dlq_run_item WHERE fate IS NOT NULL"));
    }

    private static List<String> can(Browser.Answer run) {
        return run.at("/can").valueStream().map(one -> one.asString()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge", "purge"})
    void a_run_is_frozen_shown_started_and_done_once(String kind) {
        world.rows.dead(3);
        Browser.Answer run = planned(operator, all(kind, 3));
        assertThat(moved()).isZero();
        assertThat(run.at("/money/0").toString()).isEqualTo("{\"currency\":\"EUR\",\"amount\":3897,\"count\":3}");
        assertThat(run.at("/needs_approval").asBoolean()).isFalse();
        assertThat(can(run)).contains("start", "cancel").doesNotContain("resume", "stop");

        assertThat(begun(operator, run).status()).isEqualTo(202);

        String id = run.textAt("/run");
        await().until(() -> state(id).equals("finished"));
        assertThat(world.rows.text("SELECT count(*) FROM dead_letter WHERE state = 'dead'")).isEqualTo("0");
        assertThat(world.rows.text("SELECT string_agg(DISTINCT actor || '/' || origin || '/' || reason, ' ') FROM audit_record "
                + "WHERE action LIKE 'dlq.%ged'")).isEqualTo("operator/console at 127.0.0.1/the PSP is well again");
        assertThat(begun(operator, run).status()).isEqualTo(409);
        Browser.Answer done = operator.get("/api/runs/" + id);
        assertThat(done.textAt("/state")).isEqualTo("finished");
        assertThat(done.at("/done").asInt()).isEqualTo(3);
        assertThat(can(done)).isEmpty();
        assertThat(operator.get("/api/runs").textAt("/items/0/run")).isEqualTo(id);
    }

    @Test
    void the_canary_of_a_purge_stops_it_until_a_person_resumes_it() {
        world.rows.dead(3);
        Map<String, Object> careful = all("purge", 3);
        careful.put("canary", 1);
        careful.put("abort_above_percent", 5);
        assertThat(operator.post("/api/runs", careful).textAt("/detail")).contains("Only a merge has such terms");
        careful.remove("abort_above_percent");
        Browser.Answer run = planned(operator, careful);
        String id = run.textAt("/run");
        begun(operator, run);
        await().until(() -> state(id).equals("aborted"));
        assertThat(moved()).isEqualTo(1);
        Browser.Answer stopped = operator.get("/api/runs/" + id);
        assertThat(stopped.textAt("/verdict")).isEqualTo("1 of the canary's 1 are purged; a person looks at them first");
        assertThat(can(stopped)).contains("resume", "rate", "cancel");

        await().until(() -> operator.post("/api/runs/" + id + "/resume", Map.of()).status() == 202);

        await().until(() -> state(id).equals("finished"));
        assertThat(moved()).isEqualTo(3);
    }

    @Test
    void what_was_purged_comes_back() {
        world.rows.dead(2);
        begun(operator, planned(operator, all("purge", 2)));
        await().until(() -> operator.get("/api/dead-letters?state=purged").at("/total/count").asInt() == 2);

        begun(operator, planned(operator, all("restore", 2)));

        await().until(() -> operator.get("/api/dead-letters").at("/total/count").asInt() == 2);
    }

    @Test
    void an_operator_cancels_a_payment_for_a_reason_and_a_reader_does_not() {
        String id = world.rows.dead();
        String cancel = "/api/payments/" + id + "/cancel";
        assertThat(reader.post(cancel, Map.of("reason", "r")).status()).isEqualTo(403);
        assertThat(operator.post(cancel, Map.of()).status()).isEqualTo(400);
        assertThat(operator.get("/api/payments/" + id).at("/payment/may_be_canceled").asBoolean()).isTrue();
        assertThat(operator.post(cancel, Map.of("reason", "order cancelled")).textAt("/result")).isEqualTo("canceled");
        assertThat(operator.get("/api/payments/" + id).textAt("/payment/state")).isEqualTo("canceled");
        assertThat(operator.get("/api/payments/" + id).at("/payment/may_be_canceled").asBoolean()).isFalse();
        assertThat(operator.post("/api/payments/pay_unknown/cancel", Map.of("reason", "r")).status()).isEqualTo(404);
    }

    @Test
    void a_set_that_is_another_than_what_was_shown_is_refused_and_leaves_no_run() {
        world.rows.dead(3);
        Browser.Answer answer = operator.post("/api/runs", all("merge", 2));
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.textAt("/type")).endsWith(":changed");
        assertThat(world.rows.text("SELECT count(*) FROM dlq_run")).isEqualTo("0");
    }

    @Test
    void what_dies_after_the_freezing_is_not_touched_and_a_stale_fingerprint_starts_nothing() {
        world.rows.dead(2);
        Browser.Answer run = planned(operator, all("merge", 2));
        String later = world.rows.dead();
        String start = "/api/runs/" + run.textAt("/run") + "/start";
        assertThat(operator.post(start, Map.of("fingerprint", "0123456789abcdef")).status()).isEqualTo(409);
        assertThat(operator.post(start, Map.of()).status()).isEqualTo(400);
        assertThat(moved()).isZero();

        begun(operator, run);

        await().until(() -> state(run.textAt("/run")).equals("finished"));
        assertThat(world.rows.letter(later)).startsWith("dead/");
        assertThat(moved()).isEqualTo(2);
    }

    @Test
    void the_database_refuses_a_reader_whatever_the_page_shows() {
        world.rows.dead(2);
        Browser.Answer run = planned(operator, all("merge", 2));
        String before = world.rows.everything();
        String one = "/api/runs/" + run.textAt("/run");
        Map<String, Object> seen = Map.of("fingerprint", run.textAt("/fingerprint"));
        for (Browser.Answer refused : List.of(reader.post("/api/runs", all("merge", 2)), reader.post(one + "/start", seen),
                reader.post(one + "/rate", Map.of("rate", 5)), reader.post(one + "/cancel", Map.of()), reader.post(one + "/approve", seen),
                reader.post(one + "/stop", Map.of()))) {
            assertThat(refused.status()).as(refused.text()).isEqualTo(403);
            assertThat(refused.textAt("/detail")).contains("permission denied");
        }
        assertThat(can(reader.get(one))).isEmpty();
        assertThat(world.rows.everything()).isEqualTo(before);
        assertThat(state(run.textAt("/run"))).isEqualTo("planned");
    }

    @Test
    void above_the_limit_another_person_approves_the_very_set() {
        world.rows.text("INSERT INTO four_eyes VALUES ('*', 1) RETURNING 1");
        world.rows.dead(2);
        Browser.Answer run = planned(operator, all("merge", 2));
        assertThat(run.at("/needs_approval").asBoolean()).isTrue();
        assertThat(can(run)).doesNotContain("start", "approve");
        assertThat(begun(operator, run).status()).isEqualTo(409);
        String one = "/api/runs/" + run.textAt("/run");
        Map<String, Object> seen = Map.of("fingerprint", run.textAt("/fingerprint"));
        Browser.Answer own = operator.post(one + "/approve", seen);
        assertThat(own.status()).isEqualTo(403);
        assertThat(own.textAt("/detail")).contains("your own proposal");
        Browser approver = world.signIn(ConsoleWorld.APPROVER);
        assertThat(can(approver.get(one))).contains("approve");
        assertThat(approver.post(one + "/approve", Map.of("fingerprint", "0123456789abcdef")).status()).isEqualTo(409);

        assertThat(approver.post(one + "/approve", seen).status()).isEqualTo(200);

        assertThat(world.rows.text("SELECT actor || '/' || origin FROM audit_record WHERE action = 'dlq.run.approved'"))
                .isEqualTo("approver/console at 127.0.0.1");
        assertThat(begun(operator, run).status()).isEqualTo(202);
        await().until(() -> state(run.textAt("/run")).equals("finished"));
    }

    @Test
    void who_could_begin_it_alone_is_offered_to_approve_what_another_person_may_not_do_alone() {
        world.rows.text("INSERT INTO four_eyes VALUES ('*', 2) RETURNING 1");
        world.rows.dead();
        begun(operator, planned(operator, all("merge", 1)));
        await().until(() -> world.rows.text("SELECT count(*) FROM moved_alone WHERE of_what = '*' AND amount = 1").equals("1"));
        world.rows.dead(2);
        Browser.Answer run = planned(operator, all("merge", 2));
        Browser approver = world.signIn(ConsoleWorld.APPROVER);
        Browser.Answer seen = approver.get("/api/runs/" + run.textAt("/run"));
        assertThat(seen.at("/needs_approval").asBoolean()).isTrue();
        assertThat(can(seen)).contains("approve").doesNotContain("start");
        assertThat(can(operator.get("/api/runs/" + run.textAt("/run")))).doesNotContain("start", "approve");
    }

    @ParameterizedTest
    @ValueSource(strings = {"stop", "cancel"})
    void a_reason_with_a_card_number_or_without_end_is_refused_and_kept_nowhere(String what) {
        world.rows.dead(30);
        Map<String, Object> slow = all("merge", 30);
        slow.put("rate", 1);
        Browser.Answer run = planned(operator, slow);
        begun(operator, run);
        for (String reason : List.of("card 4111 1111 1111 1111", "x".repeat(501))) {
            Browser.Answer answer = operator.post("/api/runs/" + run.textAt("/run") + "/" + what, Map.of("reason", reason));
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.textAt("/detail")).startsWith("reason ");
        }
        assertThat(world.rows.text("SELECT count(*) FROM audit_record WHERE reason LIKE '%4111%' OR reason LIKE 'xx%'")).isEqualTo("0");
        assertThat(operator.post("/api/runs/" + run.textAt("/run") + "/" + what, Map.of("reason", "enough")).status()).isEqualTo(200);
        operator.post("/api/runs/" + run.textAt("/run") + "/cancel", Map.of());
    }

    @Test
    void other_dead_letters_with_the_same_money_are_not_what_was_shown() {
        world.rows.dead(2);
        Map<String, Object> body = all("merge", 2);
        var expect = new HashMap<String, Object>(Map.of("count", 2, "money", List.of(Map.of("currency", "EUR", "amount", 2598)),
                "fingerprint", operator.get("/api/dead-letters").textAt("/total/fingerprint")));
        body.put("expect", expect);
        world.rows.clear();
        world.rows.dead(2);

        assertThat(operator.post("/api/runs", body).textAt("/type")).endsWith(":changed");

        expect.put("fingerprint", operator.get("/api/dead-letters").textAt("/total/fingerprint"));
        assertThat(operator.post("/api/runs", body).status()).isEqualTo(201);
    }

    /** Also on a busy machine it is far from its end when it is stopped. */
    private static Map<String, Object> slowMerge(int count) {
        Map<String, Object> slow = all("merge", count);
        slow.put("rate", 1);
        slow.put("max_rate", 1);
        return slow;
    }

    @Test
    void a_run_goes_at_the_rate_that_is_set_while_it_runs_and_stops_and_goes_on() {
        world.rows.dead(40);
        Browser.Answer run = planned(operator, slowMerge(40));
        String id = run.textAt("/run");
        begun(operator, run);
        await().until(() -> moved() >= 1);
        Browser.Answer stopped = operator.post("/api/runs/" + id + "/stop", Map.of());
        assertThat(stopped.status()).isEqualTo(200);
        assertThat(can(stopped)).contains("resume").doesNotContain("stop");
        assertThat(moved()).isLessThan(40);
        assertThat(operator.post("/api/runs/" + id + "/stop", Map.of()).status()).isEqualTo(409);
        await().until(() -> operator.post("/api/runs/" + id + "/resume", Map.of()).status() == 202);

        assertThat(operator.post("/api/runs/" + id + "/rate", Map.of("rate", 1000)).at("/rate").asInt()).isEqualTo(1000);

        await().until(() -> state(id).equals("finished"));
        assertThat(moved()).isEqualTo(40);
        assertThat(world.rows.text("SELECT string_agg(action, ' ' ORDER BY audit_id) FROM audit_record WHERE resource_type = 'dlq_run'"))
                .isEqualTo("dlq.run.planned dlq.run.led dlq.run.stopped dlq.run.led dlq.run.rate_set");
    }

    @Test
    void a_run_goes_on_after_the_sign_out_and_a_cancelled_one_does_not() {
        world.rows.dead(30);
        Browser browser = world.signIn(ConsoleWorld.OPERATOR);
        Browser.Answer run = planned(browser, slowMerge(30));
        begun(browser, run);
        await().until(() -> moved() >= 1);
        browser.delete("/api/session");
        long before = moved();
        await().until(() -> moved() > before);

        assertThat(operator.post("/api/runs/" + run.textAt("/run") + "/cancel", Map.of()).status()).isEqualTo(200);

        assertThat(state(run.textAt("/run"))).isEqualTo("cancelled");
        assertThat(moved()).isLessThan(30);
        assertThat(operator.post("/api/runs/" + run.textAt("/run") + "/cancel", Map.of()).status()).isEqualTo(409);
    }

    @Test
    void a_run_whose_console_ends_in_the_middle_is_done_by_the_command_line_and_nothing_moves_twice() {
        world.rows.dead(30);
        String id;
        try (var console = world.start(Sessions.Lifetime.USUAL, ConsoleService.Patience.USUAL, world.witness)) {
            Browser browser = new Browser(console.port()).signIn(ConsoleWorld.OPERATOR);
            Browser.Answer run = planned(browser, slowMerge(30));
            id = run.textAt("/run");
            begun(browser, run);
            await().until(() -> moved() >= 1);
        }
        assertThat(state(id)).isEqualTo("running");
        assertThat(moved()).isLessThan(30);

        var queue = world.rows.queue();
        new DlqRuns(queue).setRate(AuditContext.of(queue, Optional.empty(), id), 1_000);
        new DlqRuns(queue).take(AuditContext.of(queue, Optional.empty(), id), new SteadyClock(), progress -> {}).orElseThrow()
                .run(new Brake());

        assertThat(state(id)).isEqualTo("finished");
        assertThat(moved()).isEqualTo(30);
        assertThat(world.rows.text("SELECT count(*) || ' ' || count(DISTINCT resource_id) FROM audit_record WHERE action = 'dlq.merged'"))
                .isEqualTo("30 30");
        assertThat(world.rows.text("SELECT max(generation) FROM operation_state")).isEqualTo("2");
    }

    @Test
    void a_run_whose_console_is_killed_is_resumed_in_another_and_nothing_moves_twice() throws Exception {
        world.rows.dead(30);
        ConsoleProcess killed = ConsoleProcess.start(world.rows.url());
        Browser browser = new Browser(killed.port()).signIn(ConsoleWorld.OPERATOR);
        Browser.Answer run = planned(browser, slowMerge(30));
        String one = "/api/runs/" + run.textAt("/run");
        begun(browser, run);
        await().until(() -> moved() >= 1);

        killed.kill();

        long before = moved();
        assertThat(before).isLessThan(30);
        Browser.Answer early = operator.post(one + "/resume", Map.of());
        assertThat(early.status()).isEqualTo(409);
        assertThat(early.textAt("/next")).contains("silent for 15 s");
        operator.post(one + "/rate", Map.of("rate", 1_000));
        await().atMost(Duration.ofSeconds(60)).until(() -> operator.post(one + "/resume", Map.of()).status() == 202);
        await().until(() -> state(run.textAt("/run")).equals("finished"));
        assertThat(moved()).isEqualTo(30);
        assertThat(world.rows.text("SELECT count(*) || ' ' || count(DISTINCT resource_id) FROM audit_record WHERE action = 'dlq.merged'"))
                .isEqualTo("30 30");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"kind\":\"merge\"}", "{\"kind\":\"erase\",\"filter\":{},\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{},\"ids\":[\"x\"],\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"ids\":{\"a\":\"b\"},\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{},\"expect\":{\"count\":99999999999999999999,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{},\"expect\":{\"count\":0,\"money\":[{\"currency\":\"EUR\",\"amount\":99999999999999999999}]}}",
        "{\"kind\":\"merge\",\"ids\":[],\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"purge\",\"filter\":{},\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{\"cause\":{}},\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{},\"rate\":\"x\",\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{},\"reason\":\"4111 1111 1111 1111\",\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"filter\":{},\"rate\":10,\"max_rate\":5,\"expect\":{\"count\":0,\"money\":[]}}",
        "{\"kind\":\"merge\",\"kind\":\"purge\"}", "[]", "{", "{\"kind\":\"merge\",\"filter\":{},\"expect\":{\"count\":0,\"money\":[]}}"})
    void a_run_that_cannot_be_is_refused_with_what_is_wrong(String body) {
        Browser.Answer answer = operator.postText("/api/runs", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.text()).doesNotContain("4111");
    }
}
