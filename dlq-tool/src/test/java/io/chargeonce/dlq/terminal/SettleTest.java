// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.approval.Settle;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SettleTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    private static Called settle(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "settle";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 2] = "--evidence";
        all[all.length - 1] = "ticket 4711";
        return Called.of(rows::open, all);
    }

    @Test
    void without_yes_it_only_tells_and_changes_nothing() {
        String id = rows.unresolvedAndAsked(true);
        String before = rows.everything();
        Called settled = settle(id, "--charged", "pi_1");
        assertThat(settled.exit()).as(settled.err()).isZero();
        assertThat(settled.out()).contains("attempt 1 at stripe", "settled as charged under pi_1", "asked once more first about pi_1",
                "Do it with --yes");
        assertThat(settle(id, "--not-charged").exit()).isZero();
        assertThat(rows.everything()).isEqualTo(before);
        assertThat(rows.text("SELECT count(*) FROM hand_settlement")).isEqualTo("0");
    }

    @Test
    void with_yes_the_finding_is_written_audited_and_sent_to_the_resolver() {
        String id = rows.unresolvedAndAsked(false);
        Called settled = settle(id, "--charged", "pi_1", "--yes", "--wait", "1s", "--json");
        assertThat(settled.exit()).as("it waits: nothing is settled yet").isEqualTo(1);
        assertThat(settled.json().getFirst().path("state").asString()).isEqualTo("waiting");
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.UNRESOLVED);
        assertThat(rows.text("SELECT resolve_at <= clock_timestamp() FROM operation_state")).isEqualTo("t");
        assertThat(rows.text(
                "SELECT verdict || ' ' || psp_reference || ' ' || evidence || ' ' || proposed_by || ' ' || approved_by || ' ' || state "
                        + "FROM hand_settlement"))
                .isEqualTo("charged pi_1 ticket 4711 %s %1$s waiting".formatted(QueueRows.OPERATOR));
        for (String command : new String[] {"why", "show"}) {
            assertThat(Called.of(rows::open, command, id).out()).contains("dlq.settlement_proposed by " + QueueRows.OPERATOR,
                    "ticket 4711");
        }
        assertThat(Called.of(rows::open, "why", id).out()).contains("charged, pi_1, ticket 4711");
        assertThat(Called.of(rows::open, "show", id).out()).contains("charged as pi_1: ticket 4711");
        assertThat(Called.of(rows::open, "audit").out()).contains("settlement_proposed", "charged as pi_1: ticket 4711");
        assertThat(Called.of(rows::open, "audit", "--json").json().getFirst().path("psp_reference").asString()).isEqualTo("pi_1");
        assertThat(Called.of(rows::open, "audit", "--json").json().getFirst().path("verdict").asString()).isEqualTo("charged");
        assertThat(settle(id, "--charged", "pi_2", "--yes", "--wait", "1s").out()).contains("Recorded as run_",
                "stripe has not said what happened");
        assertThat(rows.text("SELECT psp_reference FROM hand_settlement")).as("a newer finding replaces one that waits").isEqualTo("pi_2");
    }

    @Test
    void what_the_resolver_heard_is_printed_and_a_refusal_is_a_no() {
        String id = rows.unresolvedAndAsked(true);
        assertThat(answered(id, "settled", "the PSP does not know the outcome")).satisfies(settled -> {
            assertThat(settled.exit()).isZero();
            assertThat(settled.out()).contains("Settled as not charged by " + QueueRows.OPERATOR, "the PSP does not know the outcome");
        });
        assertThat(settle(id, "--not-charged", "--yes").err()).contains("has been settled by hand before");
        rows.clear();
        String other = rows.unresolvedAndAsked(true);
        assertThat(answered(other, "refused", "the PSP says charged")).satisfies(settled -> {
            assertThat(settled.exit()).isEqualTo(1);
            assertThat(settled.out()).contains("Refused, and nothing was settled by it: the PSP says charged");
        });
    }

    /** As the resolver does, while the command waits for it. */
    private static Called answered(String id, String state, String answer) {
        var settled = CompletableFuture.supplyAsync(() -> settle(id, "--not-charged", "--yes"));
        await().until(
                () -> rows.text("UPDATE hand_settlement SET state = '%s', answer = '%s' RETURNING 1".formatted(state, answer)).equals("1"));
        return settled.join();
    }

    @Test
    void only_what_is_unresolved_listed_asked_and_at_rest_is_settled() {
        String asked = rows.unresolvedAndAsked(false);
        String before = rows.everything();
        cannot("there is no payment and no refund", "pay_nobody", "--charged", "pi_1");
        cannot("knows the attempt's key until", asked, "--not-charged");
        rows.text("UPDATE operation_state SET lease_token = gen_random_uuid() RETURNING 1");
        cannot("the resolver asks stripe right now", asked, "--charged", "pi_1");
        rows.text("UPDATE operation_state SET lease_token = NULL RETURNING 1");
        rows.text("UPDATE dead_letter SET state = 'settled' RETURNING 1");
        cannot("it is not in the dead-letter queue", asked, "--charged", "pi_1");
        rows.text("UPDATE dead_letter SET state = 'dead' RETURNING 1");
        assertThat(rows.everything()).isEqualTo(before);

        cannot("has not been asked since the attempt was sent", rows.unresolved(), "--charged", "pi_1");
        cannot("it is dead, and only what is unresolved", rows.deadWithAnOpenAttempt(), "--charged", "pi_1");
        cannot("has answered meanwhile", rows.unresolvedWithoutAnOpenAttempt(), "--charged", "pi_1");
        String charged = rows.charged();
        cannot("reference pi_late is that of attempt 1 of " + charged, asked, "--charged", "pi_late");
        assertThat(rows.text("SELECT count(*) FROM hand_settlement")).isEqualTo("0");
    }

    @Test
    void another_reference_than_the_psp_itself_named_for_the_attempt_is_refused_and_both_are_shown() {
        String id = rows.unresolvedAndAsked(false);
        rows.text("UPDATE payment_attempt SET psp_reference = 'pi_known' RETURNING 1");
        cannot("stripe itself named attempt 1 pi_known, and you named pi_typo", id, "--charged", "pi_typo");
        assertThat(rows.text("SELECT count(*) FROM hand_settlement")).isEqualTo("0");
        assertThat(settle(id, "--charged", "pi_known").exit()).isZero();
    }

    @Test
    void what_was_purged_while_it_was_unresolved_is_settled_without_being_restored_first() {
        String id = rows.unresolvedAndAsked(false);
        assertThat(Called.of(rows::open, "purge", id, "--even-unresolved", "--reason", "a test", "--yes").exit()).isZero();
        assertThat(settle(id, "--charged", "pi_1", "--yes", "--wait", "1s").out()).contains("Recorded as run_");
        assertThat(rows.operation(id).state()).isEqualTo(OperationState.PURGED);
        assertThat(rows.text("SELECT resolve_at <= clock_timestamp() FROM operation_state")).isEqualTo("t");
    }

    /** Neither attempt has it yet, and the resolver would give it to both. */
    @Test
    void a_reference_that_waits_to_be_found_for_one_payment_is_not_named_for_another() {
        String one = rows.unresolvedAndAsked(false);
        String other = rows.unresolvedAndAsked(false);
        assertThat(settle(one, "--charged", "pi_1", "--yes", "--wait", "1s").exit()).as("recorded, and not settled yet").isOne();
        cannot("reference pi_1 is that of attempt 1 of " + one, other, "--charged", "pi_1");
        assertThat(settle(one, "--charged", "pi_1", "--yes", "--wait", "1s").exit()).as("the same again").isOne();
    }

    @Test
    void of_two_people_who_name_one_reference_for_two_payments_one_is_refused() {
        String one = rows.unresolvedAndAsked(false);
        String other = rows.unresolvedAndAsked(false);
        var looks = rows.queue().database().inTransaction(connection -> {
            OperationTable.lock(connection, List.of(other));
            var second = propose(other);
            await().until(() -> waiting() == 1);
            var first = propose(one);
            await().until(() -> first.isDone() || waiting() == 2);
            return List.of(first, second);
        });
        assertThat(looks.stream().filter(look -> look.join().obstacles().isEmpty())).hasSize(1);
        assertThat(rows.text("SELECT count(*) FROM hand_settlement WHERE psp_reference = 'pi_1'")).isEqualTo("1");
    }

    private static CompletableFuture<Settle.Look> propose(String id) {
        return CompletableFuture
                .supplyAsync(() -> new Settle(rows.queue()).propose(new Settle.Finding(id, Optional.of("pi_1"), "ticket 4711"),
                        AuditContext.of("ann", Optional.of("ticket 4711"))), task -> Thread.ofVirtual().start(task));
    }

    private static int waiting() {
        return Integer.parseInt(
                rows.text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"));
    }

    private static void cannot(String why, String... arguments) {
        String[] withYes = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        withYes[arguments.length] = "--yes";
        for (String[] call : new String[][] {arguments, withYes}) {
            assertThat(settle(call)).satisfies(settled -> {
                assertThat(settled.exit()).isEqualTo(1);
                assertThat(settled.err()).contains("cannot be settled: ", why);
            });
        }
    }

    @Test
    void a_verdict_and_evidence_must_be_given() {
        assertThat(Called.of(rows::open, "settle", "pay_x")).satisfies(settled -> {
            assertThat(settled.exit()).isEqualTo(2);
            assertThat(settled.err()).contains("say either --charged REFERENCE or --not-charged", "--evidence is missing");
        });
        assertThat(settle("pay_x", "--charged", "a b", "--not-charged").err()).contains("say either", "--charged is no reference");
    }

    @Test
    void a_summary_names_processes_whose_tiers_are_not_the_agreed_ones() {
        rows.text("UPDATE agreed SET tiers = '{1000,60000}' RETURNING 1");
        rows.text("""
                INSERT INTO psp_health (psp, process, good_at, open, failed_in_a_row, failed_payments, told_at, tiers)
                VALUES ('stripe', gen_random_uuid(), now(), false, 0, '', now(), '{1000}'),
                       ('stripe', gen_random_uuid(), now(), false, 0, '', now(), '{1000,60000}'),
                       ('adyen', gen_random_uuid(), now(), false, 0, '', now() - interval '1 hour', '{9}') RETURNING 1""");
        assertThat(Called.of(rows::open, "summary").out()).contains("1 running process uses the retry tiers 1s, and 1s,1m are agreed");
        assertThat(Called.of(rows::open, "summary", "--json").json().getFirst().path("settings_differ").path("used").asString())
                .isEqualTo("1s");
        rows.text("UPDATE agreed SET tiers = NULL RETURNING 1");
        rows.text("DELETE FROM psp_health RETURNING 1");
        assertThat(Called.of(rows::open, "summary").out()).doesNotContain("are agreed");
    }

    @Test
    void a_summary_tells_of_messages_that_match_no_attempt() {
        rows.text(
                "INSERT INTO unmatched_notice (psp, notice_id, psp_key) SELECT 'stripe', 'n' || n, 'key-' || n FROM generate_series(1, "
                        + "3) AS n RETURNING 1");
        assertThat(Called.of(rows::open, "summary").out()).contains("stripe sent 3 webhooks about attempts that are not known here");
        assertThat(Called.of(rows::open, "summary", "--json").json().getFirst().path("unmatched_notices").path("count").asInt())
                .isEqualTo(3);
    }
}
