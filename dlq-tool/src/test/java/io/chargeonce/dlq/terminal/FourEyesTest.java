// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.People;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.WaitingRows;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Above the owner's limits one person moves nothing alone, neither with our commands nor with statements of their own. */
class FourEyesTest {

    private static final String SHARED = "chargeonce_dlq_operator";

    @RegisterExtension
    static final QueueRows rows = new QueueRows();

    @BeforeAll
    static void bob() {
        People.add(rows.url(), "postgres", "", "bob", SHARED, Optional.empty());
    }

    @BeforeEach
    void limit() {
        owner("INSERT INTO four_eyes VALUES ('*', 2)");
    }

    @AfterEach
    void noLimit() {
        owner("TRUNCATE four_eyes, moved_alone, approval, permitted_move");
    }

    private static void owner(String sql) {
        try {
            as("postgres", sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void as(String login, String sql) throws SQLException {
        try (Connection connection =
                DriverManager.getConnection(rows.url().replace("user=postgres", "user=" + login) + "&currentSchema=chargeonce");
             var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Called ann(String... arguments) {
        return Called.of(rows::open, arguments);
    }

    private static Called bob(String... arguments) {
        return Called.of(() -> rows.openAs("bob"), arguments);
    }

    private static long accepted() {
        return Long.parseLong(rows.text("SELECT count(*) FROM operation_state WHERE state = 'accepted'"));
    }

    private static String theRun() {
        return rows.text("SELECT run_id FROM dlq_run ORDER BY planned_at DESC LIMIT 1");
    }

    private static void threeDead() {
        rows.dead();
        rows.dead();
        rows.dead();
    }

    @Test
    void a_merge_above_the_limit_waits_for_another_person_and_names_both_in_the_audit() {
        threeDead();
        Called proposed = ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0", "--reason", "well again");
        assertThat(proposed.exit()).isEqualTo(1);
        String run = theRun();
        assertThat(proposed.out()).contains(run + " is more than you may do alone", "chargeonce dlq approve " + run,
                "chargeonce dlq merge --resume " + run);
        assertThat(accepted()).isZero();
        assertThat(ann("runs").out()).contains("awaits");
        assertThat(ann("merge", "--resume", run, "--wait", "0").exit()).isEqualTo(1);
        Called own = ann("approve", run, "--yes");
        assertThat(own.exit()).isEqualTo(2);
        assertThat(own.err()).contains("it is your own proposal: another person must approve it");

        Called look = bob("approve", run);
        assertThat(look.exit()).isZero();
        assertThat(look.out()).contains("ann proposes to merge", "3 dead letters", "EUR", "Nothing was changed", "well again");
        assertThat(ann("merge", "--resume", run, "--wait", "0").exit()).isEqualTo(1);
        assertThat(bob("approve", run, "--expect-fingerprint", "0000000000000000", "--yes").exit()).isEqualTo(1);
        assertThat(bob("approve", run, "--yes").out()).contains("Approved.", "chargeonce dlq merge --resume " + run);
        assertThat(accepted()).isZero();
        Called merged = ann("merge", "--resume", run, "--wait", "0");
        assertThat(merged.exit()).as(merged.out() + merged.err()).isZero();
        assertThat(accepted()).isEqualTo(3);
        assertThat(rows.text(
                "SELECT string_agg(action || ' by ' || actor, ', ' ORDER BY audit_id) FROM audit_record WHERE resource_id = '" + run + "'"))
                .isEqualTo("dlq.run.planned by ann, dlq.run.approved by bob, dlq.run.led by ann");
        assertThat(
                rows.text("SELECT data ->> 'planned_by' || ' ' || (data ->> 'approved_by') FROM audit_record WHERE action = 'dlq.run.led'"))
                .isEqualTo("ann bob");
        assertThat(rows.text("SELECT count(*) FROM moved_alone")).isEqualTo("0");
    }

    @Test
    void a_purge_and_a_restore_above_the_limit_wait_too() {
        threeDead();
        assertThat(ann("purge", "--all", "--reason", "tests", "--yes").out()).contains("waits for another person");
        String purge = theRun();
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'purged'")).isEqualTo("0");
        assertThat(bob("approve", purge, "--yes").exit()).isZero();
        Called purged = ann("purge", "--resume", purge);
        assertThat(purged.exit()).as(purged.out() + purged.err()).isZero();
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'purged'")).isEqualTo("3");

        assertThat(bob("restore", "--all", "--reason", "a mistake", "--yes").exit()).isEqualTo(1);
        String restore = theRun();
        assertThat(bob("approve", restore, "--yes").exit()).isEqualTo(2);
        assertThat(ann("approve", restore, "--yes").exit()).isZero();
        Called restored = bob("restore", "--resume", restore);
        assertThat(restored.exit()).as(restored.out() + restored.err()).isZero();
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'dead'")).isEqualTo("3");
        assertThat(ann("purge", "--resume", purge).err()).contains(purge + " has ended: finished");
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'dead'")).as("it moves nothing again").isEqualTo("3");
    }

    @Test
    void a_purge_that_meets_the_limit_half_way_tells_what_it_did_and_waits_for_another_person() {
        List<String> ids = rows.dead(3);
        Called purge = rows.holding(ids.get(1), () -> {
            var purging = CompletableFuture.supplyAsync(
                    () -> ann("purge", ids.get(0), ids.get(1), "--rate", "1", "--reason", "r", "--yes"), Thread::startVirtualThread);
            await().until(() -> rows.letter(ids.get(0)).startsWith("purged") && rows.isWaitingForALock());
            assertThat(ann("purge", ids.get(2), "--reason", "r", "--yes").exit()).isZero();
            return purging;
        }).join();
        String run = rows.text("SELECT run_id FROM dlq_run ORDER BY planned_at LIMIT 1");
        assertThat(purge.exit()).as(purge.err()).isOne();
        assertThat(purge.err()).isEmpty();
        assertThat(purge.out()).contains("    1  12.99 EUR  purged", "To undo it:", "The rest of " + run + " is more than you may do alone",
                "What it has moved stays moved.", "chargeonce dlq approve " + run).doesNotContain("Nothing was changed", "To go on");
        assertThat(ann("purge", "--resume", run).out()).contains("The rest of " + run).doesNotContain("Nothing was changed");
        assertThat(bob("runs").out()).contains(run + "  purge", "awaits approval", "chargeonce dlq approve " + run);
        assertThat(bob("runs", "show", run).out()).contains("  kind      purge\n",
                "  state     stopped, to be resumed; awaits approval by another person: chargeonce dlq approve " + run);
        assertThat(bob("approve", run, "--yes").exit()).isZero();
        assertThat(bob("runs", "show", run).out()).contains("  approved  by bob\n").doesNotContain("awaits");
        assertThat(ann("purge", "--resume", run).exit()).isZero();
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE state = 'purged'")).isEqualTo("3");
    }

    @Test
    void who_approves_waits_for_the_leader_that_commits_a_batch() {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        String run = theRun();
        var approved = rows.owner().inTransaction(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute("SELECT FROM dlq_run FOR UPDATE");
            }
            var approving = CompletableFuture.supplyAsync(() -> bob("approve", run, "--yes"), Thread::startVirtualThread);
            await().until(() -> approving.isDone() || rows.isWaitingLongForALock());
            return approving;
        }).join();
        assertThat(approved.exit()).as(approved.err()).isZero();
    }

    @Test
    void a_stop_above_the_limit_waits_too_and_a_retry_does_not() {
        var waiting = new WaitingRows(rows);
        for (int i = 0; i < 3; i++) {
            waiting.scheduled(1);
        }
        assertThat(ann("waiting", "--all", "--stop", "--reason", "cancelled", "--yes").out()).contains("waits for another person");
        String stop = theRun();
        assertThat(rows.text("SELECT count(*) FROM dead_letter")).isEqualTo("0");
        assertThat(bob("approve", stop, "--yes").out()).contains("proposes to stop", "3 payments", "dlq waiting --resume " + stop);
        assertThat(bob("waiting", waiting.scheduled(2), "--now", "--yes").exit()).isZero();
        rows.text("SELECT operation_id FROM waiting WHERE lane = '1'").lines().forEach(id -> rows.retry(id, 1, "the PSP answered 500"));
        Called stopped = ann("waiting", "--resume", stop);
        assertThat(stopped.exit()).as(stopped.out() + stopped.err()).isZero();
        assertThat(rows.text("SELECT count(*) FROM dead_letter WHERE cause = 'stopped'")).isEqualTo("3");
        assertThat(rows.text("SELECT count(*) FROM moved_alone")).isEqualTo("0");
    }

    @Test
    void many_small_merges_count_as_one_big_one() {
        String one = rows.dead();
        String two = rows.dead();
        String three = rows.dead();
        assertThat(ann("merge", one, "--yes", "--wait", "0", "--canary", "0").exit()).isZero();
        assertThat(ann("purge", two, "--reason", "r", "--yes").exit()).isZero();
        assertThat(ann("merge", three, "--yes", "--wait", "0", "--canary", "0").out()).contains("waits for another person");
        assertThat(bob("merge", three, "--yes", "--wait", "0", "--canary", "0").exit()).isZero();
        assertThat(accepted()).isEqualTo(2);
    }

    @Test
    void records_that_never_became_payments_count_too() throws SQLException {
        String one = rows.poison(new byte[] {1});
        String two = rows.poison(new byte[] {2});
        String three = rows.poison(new byte[] {3});
        assertThat(ann("purge", one, "--reason", "r", "--yes").exit()).isZero();
        as(QueueRows.OPERATOR, "UPDATE dead_letter SET state = 'merged' WHERE dead_letter_id = '" + two + "'");
        assertThat(ann("purge", three, "--reason", "r", "--yes").out()).contains("waits for another person");
        assertThatThrownBy(() -> as(QueueRows.OPERATOR, "UPDATE dead_letter SET state = 'purged' WHERE dead_letter_id = '" + three + "'"))
                .hasMessageContaining("more than ann may move alone");
        String run = theRun();
        assertThat(bob("approve", run, "--yes").exit()).isZero();
        Called purged = ann("purge", "--resume", run);
        assertThat(purged.exit()).as(purged.out() + purged.err()).isZero();
        assertThat(rows.text("SELECT string_agg(state, ' ' ORDER BY state) FROM dead_letter")).isEqualTo("merged purged purged");
    }

    @Test
    void nothing_awaits_approval_once_there_are_no_limits() {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        assertThat(ann("runs").out()).contains("awaits approval");
        owner("TRUNCATE four_eyes");
        assertThat(ann("runs").out()).contains("planned").doesNotContain("awaits approval");
        assertThat(ann("runs", "--json").json().getFirst().path("awaits_approval").asBoolean()).isFalse();
    }

    @Test
    void money_has_a_limit_of_its_own() {
        owner("UPDATE four_eyes SET most = 1000; INSERT INTO four_eyes VALUES ('EUR', 2000)");
        rows.dead();
        rows.dead();
        assertThat(ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0").out()).contains("waits for another person");
    }

    @Test
    void below_the_limit_or_without_one_a_person_acts_alone() {
        threeDead();
        owner("TRUNCATE four_eyes");
        assertThat(ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0").exit()).isZero();
        assertThat(accepted()).isEqualTo(3);
    }

    @Test
    void a_proposal_and_an_approval_hold_for_a_day() {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        String run = theRun();
        owner("UPDATE dlq_run SET planned_at = now() - interval '25 hours'");
        assertThat(bob("approve", run, "--yes").err()).contains("it was proposed more than 24 hours ago");
        owner("UPDATE dlq_run SET planned_at = now()");
        assertThat(bob("approve", run, "--yes").exit()).isZero();
        owner("UPDATE approval SET approved_at = now() - interval '25 hours'");
        assertThat(ann("merge", "--resume", run, "--wait", "0").exit()).isEqualTo(1);
        assertThat(accepted()).isZero();
    }

    @Test
    void a_shared_login_neither_proposes_nor_approves() {
        threeDead();
        Called shared = Called.of(() -> rows.openAs(SHARED), "merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        assertThat(shared.err()).contains("you act as the shared role chargeonce_dlq_operator");
        assertThat(bob("approve", theRun(), "--yes").err()).contains("proposed under a shared login");
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        assertThat(Called.of(() -> rows.openAs(SHARED), "approve", theRun(), "--yes").err())
                .contains("only a person with their own login may approve");
    }

    /** A service that saw one would call itself unready, and wake people who have nothing to mend. */
    @Test
    void a_refusal_by_the_rule_is_told_from_a_right_that_is_missing() {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        String run = theRun();
        var queue = rows.open();
        var fourEyes = new FourEyes(queue);
        var seen = fourEyes.proposal(run).orElseThrow();
        assertThatThrownBy(() -> fourEyes.approve(AuditContext.of(queue, Optional.empty(), run), seen)).isInstanceOfSatisfying(
                DatabaseRefused.class,
                refused -> assertThat(refused.isByFourEyes()).isTrue());
        queue.database().close();
    }

    @Test
    void what_waits_for_another_person_is_in_one_list_findings_too() {
        owner("UPDATE four_eyes SET most = 0");
        String id = rows.unresolvedAndAsked(true);
        ann("settle", id, "--not-charged", "--evidence", "ticket 4711", "--yes", "--wait", "1s");
        String finding = rows.text("SELECT run FROM hand_settlement");
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        assertThat(bob("runs").out()).contains(finding, theRun(), "awaits approval", "chargeonce dlq approve " + finding);
        var json =
                bob("runs", "--json").json().stream().filter(run -> run.path("run").asString().equals(finding)).findFirst().orElseThrow();
        assertThat(json.path("kind").asString() + " " + json.path("awaits_approval").asBoolean() + " " + json.path("planned_by").asString())
                .isEqualTo("settle true " + QueueRows.OPERATOR);
        assertThat(json.path("operation_id").asString()).isEqualTo(id);

        assertThat(bob("approve", finding, "--yes").exit()).isZero();
        assertThat(bob("runs").out()).doesNotContain(finding);
    }

    @Test
    void a_finding_that_can_no_longer_be_approved_waits_for_no_one() {
        owner("UPDATE four_eyes SET most = 0");
        String id = rows.unresolvedAndAsked(true);
        ann("settle", id, "--not-charged", "--evidence", "ticket 4711", "--yes", "--wait", "1s");
        owner("UPDATE hand_settlement SET proposed_at = proposed_at - interval '24 hours'");
        assertThat(bob("runs").out()).contains("There has been no run yet");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "UPDATE operation_state SET state = 'accepted', step = step + 1, generation = generation + 1 WHERE state = 'dead'",
        "UPDATE operation_state SET state = 'purged', step = step + 1 WHERE state = 'dead'",
        "UPDATE dlq_run SET state = 'running', leader = 'ann', leader_token = gen_random_uuid()",
        "UPDATE dlq_run SET planned_by = 'bob'", "UPDATE dlq_run SET fingerprint = 'f'", "UPDATE dlq_run SET planned_xid = '1'",
        "UPDATE dlq_run SET planned_at = now()",
        "INSERT INTO approval VALUES ('run_0000000001', 'bob', now(), 'f')", "UPDATE approval SET approved_by = 'bob'",
        "UPDATE four_eyes SET most = 1000000", "DELETE FROM four_eyes", "INSERT INTO four_eyes VALUES ('EUR', 1000000)",
        "TRUNCATE moved_alone", "DELETE FROM moved_alone",
        "INSERT INTO permitted_move (operation_id, kind) SELECT operation_id, 'merge' FROM operation",
        "INSERT INTO person (login, role) VALUES ('chargeonce_dlq_operator', 'chargeonce_dlq_operator')",
        "SELECT is_approved('run_0000000001')",
        "SELECT approve(run_id, fingerprint, NULL) FROM dlq_run",
        "SELECT append_audit(NULL, '{bob}', '{dlq.run.approved}', '{dlq_run}', '{run_0000000001}', NULL, NULL, NULL)"})
    void a_stolen_login_begins_nothing_approves_nothing_and_moves_no_limit(String theft) {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        assertThatThrownBy(() -> as(QueueRows.OPERATOR, theft)).isInstanceOfSatisfying(SQLException.class,
                e -> assertThat(e.getSQLState()).isIn("42501", "X4EYE"));
        assertThat(rows.text("SELECT count(*) FROM operation_state WHERE state = 'dead'")).isEqualTo("3");
    }

    @Test
    void nothing_joins_a_planned_run_and_one_approval_moves_each_item_once() throws SQLException {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        String run = theRun();
        String late = rows.dead();
        String addedItem = """
                INSERT INTO dlq_run_item (run_id, position, dead_letter_id, generation, died_at, standing)
                SELECT '%s', 1000, dead_letter_id, generation, died_at, 'rechargeable' FROM dead_letter WHERE dead_letter_id = '%s'"""
                .formatted(run, late);
        as(QueueRows.OPERATOR, addedItem);
        assertThat(bob("approve", run, "--yes").out()).contains("3 dead letters");
        String move =
                "BEGIN; SELECT permit_moves('%s', '{1,2,3,4,1000}'); UPDATE operation_state SET state = 'accepted', step = step + 1, "
                        + "generation = generation + 1 WHERE %s; COMMIT";
        owner("UPDATE four_eyes SET most = 0");
        assertThatThrownBy(() -> as(QueueRows.OPERATOR, move.formatted(run, "operation_id = '" + late + "'")))
                .hasMessageContaining("more than ann may move alone");
        as(QueueRows.OPERATOR, move.formatted(run, "state = 'dead' AND operation_id <> '" + late + "'"));
        assertThat(accepted()).isEqualTo(3);
    }

    @Test
    void a_finding_above_the_limit_waits_for_another_person_who_is_told_what_it_is_about() {
        owner("UPDATE four_eyes SET most = 0");
        String id = rows.unresolvedAndAsked(true);
        Called proposed = ann("settle", id, "--not-charged", "--evidence", "ticket 4711", "--yes");
        assertThat(proposed.exit()).isEqualTo(1);
        String run = rows.text("SELECT run FROM hand_settlement WHERE operation_id = '" + id + "'");
        assertThat(proposed.out()).contains("chargeonce dlq approve " + run).doesNotContain("--cancel", "--resume");
        String approved = "SELECT coalesce(approved_by, 'no one') FROM hand_settlement WHERE operation_id = '" + id + "'";
        assertThat(ann("approve", run, "--yes").err()).contains("it is your own proposal");

        Called look = bob("approve", run);
        assertThat(look.out()).contains("ann proposes to settle", id, "700 JPY", "as not charged", "ticket 4711",
                "chargeonce dlq why " + id);
        assertThat(bob("approve", run, "--json").out()).contains("\"verdict\":\"not_charged\"", "\"operation_id\":\"" + id + "\"");
        assertThat(rows.text(approved)).isEqualTo("no one");
        assertThat(bob("approve", run, "--yes").out()).contains("Approved. The charge service asks the PSP once more");
        assertThat(rows.text(approved)).isEqualTo("bob");
    }

    @Test
    void an_approval_of_one_finding_is_no_approval_of_another_under_its_name() throws SQLException {
        owner("UPDATE four_eyes SET most = 0");
        String bobs = rows.unresolvedAndAsked(true);
        String anns = rows.unresolvedAndAsked(true);
        String finding = """
                INSERT INTO hand_settlement (psp_key, operation_id, step, verdict, evidence, run)
                SELECT psp_key, operation_id, 1, 'not_charged', 'e', 'run_00000000ff' FROM payment_attempt WHERE operation_id = '%s'""";
        as("bob", finding.formatted(bobs));
        assertThatThrownBy(() -> as(QueueRows.OPERATOR, finding.formatted(anns))).isInstanceOfSatisfying(SQLException.class,
                e -> assertThat(e.getSQLState()).isEqualTo("23505"));
        as(QueueRows.OPERATOR, "SELECT approve('run_00000000ff', fingerprint, NULL) FROM proposal('run_00000000ff')");
        assertThat(rows.text("SELECT string_agg(operation_id, ' ') FROM hand_settlement WHERE approved_by IS NOT NULL")).isEqualTo(bobs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", counted_attempts = 0", ", charge_before = now() + interval '1 year'", ", refused_by = NULL"})
    void whose_attempts_all_failed_is_not_sent_back_to_be_charged_by_way_of_a_status_query(String besides) {
        threeDead();
        owner("UPDATE operation_state SET counted_attempts = 3, refused_by = 'adyen'");
        assertThatThrownBy(() -> as(QueueRows.OPERATOR,
                "UPDATE operation_state SET state = 'unresolved', unresolved_since = now(), resolve_at = now()" + besides))
                .isInstanceOfSatisfying(SQLException.class,
                        e -> assertThat(e.getSQLState()).isIn("42501", "X4EYE"));
    }

    @Test
    void a_status_query_gives_a_payment_no_new_schedule_and_counts_for_no_one_while_an_attempt_is_open() throws SQLException {
        owner("UPDATE four_eyes SET most = 0");
        rows.deadWithAnOpenAttempt();
        owner("UPDATE operation_state SET counted_attempts = 3");
        String query = "UPDATE operation_state SET state = 'unresolved', unresolved_since = now(), resolve_at = now()";
        assertThatThrownBy(() -> as(QueueRows.OPERATOR, query + ", counted_attempts = 0")).isInstanceOfSatisfying(SQLException.class,
                e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        as(QueueRows.OPERATOR, query);
        assertThat(rows.text("SELECT count(*) FROM moved_alone")).isEqualTo("0");
    }

    @Test
    void an_old_snapshot_hides_nothing_that_was_moved_alone() throws SQLException {
        String move = "UPDATE operation_state SET state = 'purged', step = step + 1 WHERE operation_id = '%s'";
        rows.dead(4);
        String[] ids = rows.text("SELECT string_agg(operation_id, ' ') FROM operation_state").split(" ");
        try (Connection early = session()) {
            run(early, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM operation_state");
            as(QueueRows.OPERATOR, move.formatted(ids[0]));
            as(QueueRows.OPERATOR, move.formatted(ids[1]));
            owner("UPDATE moved_alone SET hour = hour - interval '1 hour'");
            assertThatThrownBy(() -> run(early, move.formatted(ids[2]))).isInstanceOf(SQLException.class)
                    .hasMessageContaining("read committed");
        }
    }

    @Test
    void a_transaction_that_began_long_ago_keeps_no_approval_alive() throws SQLException {
        threeDead();
        ann("merge", "--all", "--yes", "--wait", "0", "--canary", "0");
        String run = theRun();
        assertThat(bob("approve", run, "--yes").exit()).isZero();
        try (Connection early = session()) {
            run(early, "BEGIN; SELECT 1");
            owner("UPDATE approval SET approved_at = clock_timestamp() - interval '24 hours'");
            assertThatThrownBy(() -> run(early,
                    ("SELECT permit_moves('%s', '{1,2,3}'); UPDATE operation_state SET state = 'accepted', step = step + 1, generation = "
                            + "generation + 1")
                            .formatted(run)))
                    .hasMessageContaining("more than ann may move alone");
        }
    }

    private static Connection session() throws SQLException {
        return DriverManager.getConnection(rows.url().replace("user=postgres", "user=" + QueueRows.OPERATOR) + "&currentSchema=chargeonce");
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
