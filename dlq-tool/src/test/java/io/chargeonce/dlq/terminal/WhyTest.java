// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.QueueRows;
import io.chargeonce.dlq.WaitingRows;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WhyTest {

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();
    private static final WaitingRows waiting = new WaitingRows(rows);

    @Test
    void a_life_is_shown_in_order_with_tiers_and_answers_and_who_merged_it() {
        String id = rows.accepted("acme");
        rows.retry(id, 1, "first");
        rows.retry(id, 2, "second");
        rows.fail(id, "third");
        call("merge", id, "--reason", "well again", "--yes", "--wait", "0");
        rows.succeed(id);
        Called why = call("why", id, "--json");
        assertThat(why.json()).extracting(line -> line.path("what").asString()).as("each moment once").containsExactly(
                "accepted", "sent", "heard", "scheduled", "sent", "heard", "scheduled", "sent", "heard", "died", "dlq.merged", "sent",
                "heard");
        assertThat(why.json()).filteredOn(line -> line.path("what").asString().equals("scheduled"))
                .extracting(line -> line.path("tier").asInt()).containsExactly(1, 2);
        assertThat(call("why", id).out()).contains("now succeeded", "attempt 1 sent to stripe",
                "attempt 1: stripe answered failed: psp_unwell (first)", "waits in retry-1 until", "waits in retry-2 until",
                "dead: psp_unwell (third)", "dlq.merged by " + QueueRows.OPERATOR + " in run_", ": well again",
                "attempt 4 sent to stripe (after merge 1), key ", "reference pi_");
        assertThat(why.json().get(1).path("psp_key").asString())
                .isEqualTo(rows.text("SELECT psp_key FROM payment_attempt WHERE sequence = 1"));
    }

    @Test
    void a_stored_method_is_named_by_its_id_and_no_command_shows_a_token_of_it() {
        String method = "pmt_" + "a".repeat(26);
        String id = rows.deadByStoredMethod(method, "pm_of_jane");
        assertThat(call("why", id).out()).contains("of acme by " + method).doesNotContain("pm_of_jane");
        assertThat(call("show", id).out()).contains(method).doesNotContain("pm_of_jane");
        assertThat(call("list", "--json").out()).doesNotContain("pm_of_jane");
    }

    @Test
    void a_dispute_is_shown_as_it_stands() {
        String id = rows.accepted("acme");
        rows.succeed(id);
        rows.text(("INSERT INTO dispute (psp, reference, payment_id, amount, currency, reason, stage, stage_rank, final, funds, "
                + "funds_rank, refundable, answered, due_by, revision) VALUES ('stripe', 'du_1', '%s', 700, 'EUR', 'fraudulent', "
                + "'opened', 20, false, 'taken', 1, false, false, '2026-01-20T00:00:00Z', 1) RETURNING 1").formatted(id));
        assertThat(call("why", id).out()).contains(
                "Now: dispute du_1 at stripe, opened, taken 7.00 EUR: fraudulent, answer it by 2026-01-20T00:00:00Z");
        assertThat(call("why", id, "--json").json()).filteredOn(line -> line.path("what").asString().equals("dispute")).singleElement()
                .satisfies(line -> assertThat(line.path("funds").asString()).isEqualTo("taken"));
    }

    @Test
    void a_refund_shows_the_disputes_of_its_payment() {
        String id = rows.accepted("acme");
        rows.succeed(id);
        rows.text(("INSERT INTO dispute (psp, reference, payment_id, reason, stage, stage_rank, final, funds, funds_rank, refundable, "
                + "answered, revision) VALUES ('stripe', 'du_2', '%s', 'fraudulent', 'lost', 31, true, 'taken', 1, false, true, 1) "
                + "RETURNING 1").formatted(id));
        rows.text(("INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency, "
                + "payment_method, charge_within_s) VALUES ('re_of_disputed', '%s', 'refund', 'a', 'acme', 're_of_disputed', 100, 'EUR', "
                + "'pm', 60) RETURNING 1").formatted(id));
        assertThat(call("why", "re_of_disputed").out()).contains("Now: dispute du_2 at stripe, lost, taken");
        assertThat(call("why", "re_of_disputed", "--json").json()).filteredOn(line -> line.path("what").asString().equals("dispute"))
                .singleElement().satisfies(line -> {
                    assertThat(line.path("id").asString()).isEqualTo("du_2");
                    assertThat(line.path("is_final").asBoolean()).isTrue();
                });
    }

    @Test
    void every_death_is_told_and_the_last_one_with_what_was_said() {
        String id = rows.dead();
        call("merge", id, "--yes", "--wait", "0");
        rows.fail(id, "still unwell");
        call("purge", id, "--reason", "give up", "--yes");
        assertThat(call("why", id).out().lines().filter(line -> line.contains("dead: ")).toList()).satisfiesExactly(
                first -> assertThat(first).endsWith("dead: psp_unwell"),
                last -> assertThat(last).endsWith("dead: psp_unwell (still unwell)"));
        assertThat(call("why", id).out()).contains("dlq.merged by", "dlq.purged by").doesNotContain("dead-letter-queue");
    }

    @Test
    void what_ends_by_its_decline_is_not_told_to_be_presented_again() {
        String id = waiting.endsByDecline();
        assertThat(call("why", id).out()).contains(": it was declined, and ends so unless a PSP has another attempt of it.",
                "was declined, and ends so unless a PSP has another attempt of it; waits until ", ": decline_unverified")
                .doesNotContainIgnoringCase("presented again");
        assertThat(call("why", waiting.endsByDeclineLater(2)).out())
                .contains("Due at ", ": it was declined, and ends so unless a PSP has another attempt of it.", "parked in retry-2 until ");
        assertThat(call("why", waiting.presentedAgain()).out()).contains("Presented again at ", "waits to be presented again until ");
    }

    @Test
    void the_sweeper_adds_no_second_wait_in_a_tier() {
        String id = rows.accepted("acme");
        rows.retry(id, 1, "first");
        rows.text("UPDATE operation_state SET swept = swept + 1, staged_at = now() RETURNING 1");
        assertThat(rows.text("SELECT count(*) FROM tier_visit")).isEqualTo("1");
    }

    @Test
    void what_stays_parked_is_told_once_and_how_often_it_was() {
        String id = rows.accepted("acme");
        for (int i = 0; i < 3; i++) {
            rows.text("UPDATE operation_state SET state = 'parked', tier = 1, step = step + 1, failure_cause = 'breaker_open' RETURNING 1");
        }
        assertThat(call("why", id).out()).containsOnlyOnce("parked in retry-1").contains("parked in retry-1 3 times, the last until ",
                ": breaker_open");
        assertThat(call("why", id, "--json").json().getLast().path("times").asInt()).isEqualTo(3);
    }

    @Test
    void parks_that_repeat_are_told_as_one_with_their_number_and_the_last_of_them() {
        String id = rows.accepted("acme");
        for (int i = 0; i < 12; i++) {
            waiting.refuseConnection(id, 3);
        }
        rows.succeed(id);
        String out = call("why", id).out();
        assertThat(out).containsOnlyOnce("parked in retry-3 until").containsOnlyOnce("attempt 1: stripe answered failed")
                .contains("the same 11 more times, until attempt 12; parked the last time until ", "attempt 13 sent to stripe");
        assertThat(out.lines()).hasSizeLessThan(15);
        assertThat(call("why", id, "--json").json()).filteredOn(line -> line.path("what").asString().equals("sent")).hasSize(13);
    }

    @Test
    void the_webhooks_about_a_payment_are_told_to_each_endpoint() {
        String id = rows.accepted("acme");
        rows.succeed(id);
        String endpoint = "whe_" + "a".repeat(24);
        rows.text(
                "INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT (merchant_id) "
                        + "DO UPDATE SET merchant_id = 'acme' RETURNING 1");
        rows.text("INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at) VALUES ('" + endpoint
                + "', 'acme', 'https://hooks.example/', '{*}', now() - interval '1 hour') RETURNING 1");
        rows.text("SELECT stage_webhooks(ARRAY['" + id + "'])");
        rows.text("UPDATE webhook_delivery SET state = 'dead', attempts = 11, ended_at = now(), last_error = 'timed_out' RETURNING 1");
        String webhook = rows.text("SELECT webhook_id FROM webhook_delivery");
        assertThat(call("why", id).out())
                .contains("webhook payment.succeeded to " + endpoint + " dead after 11 tries: timed_out: " + webhook);
        assertThat(call("why", id, "--json").json()).filteredOn(line -> line.path("what").asString().equals("webhook")).singleElement()
                .satisfies(line -> assertThat(line.path("webhook_id").asString() + line.path("endpoint").asString()
                        + line.path("state").asString() + line.path("error").asString()).isEqualTo(webhook + endpoint + "deadtimed_out"));
    }

    @Test
    void the_webhook_and_the_receipt_of_a_refund_are_told_of_it_and_of_its_payment() {
        String id = rows.accepted("acme");
        rows.succeed(id);
        String refund = "payment-" + id + "-refund-a";
        rows.text("""
                INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                       payment_method, charge_within_s)
                SELECT '%s', payment_id, 'refund', 'a', merchant_id, 'refund-of-it', amount, currency, payment_method, charge_within_s
                  FROM operation WHERE operation_id = '%s' RETURNING 1""".formatted(refund, id));
        rows.text("UPDATE operation_state SET state = 'succeeded', step = 2, settled_at = now(), psp = 'stripe', psp_reference = 're_1' "
                + "WHERE operation_id = '" + refund + "' RETURNING 1");
        rows.text("INSERT INTO merchant (merchant_id) VALUES ('acme') ON CONFLICT (merchant_id) DO UPDATE SET merchant_id = 'acme' "
                + "RETURNING 1");
        String endpoint = "whe_" + "b".repeat(24);
        rows.text("INSERT INTO webhook_endpoint (endpoint_id, merchant_id, url, events, created_at) VALUES ('" + endpoint
                + "', 'acme', 'https://hooks.example/', '{*}', now() - interval '1 hour') RETURNING 1");
        rows.text("SELECT stage_webhooks(ARRAY['" + id + "', '" + refund + "'])");
        String receipt = "rcp_" + "b".repeat(32);
        rows.text("INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind, state, attempts, ended_at, last_status, "
                + "last_error) VALUES ('" + receipt + "', '" + refund + "', '" + id + "', 'acme', 'refund', 'dead', 1, now(), 550, "
                + "'recipient_refused') RETURNING 1");
        for (String one : List.of(id, refund)) {
            assertThat(call("why", one).out()).as(one).contains("webhook refund.succeeded to " + endpoint + " waiting after 0 tries")
                    .contains("receipt of the refund dead after 1 try: 550 recipient_refused: " + receipt);
            assertThat(call("why", one).out().contains("webhook payment.succeeded")).as(one).isEqualTo(one.equals(id));
        }
    }

    @Test
    void which_attempts_counted_is_told_and_when_the_next_try_or_status_query_is_due() {
        String id = waiting.scheduled(1);
        String due = rows.text("SELECT to_char(not_before AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS') FROM operation_state");
        assertThat(call("why", id).out()).contains("1 attempt, 1 counted", "Next try: due at " + due, "counted, waits in retry-1 until");
        waiting.refuseConnection(id, 2);
        assertThat(call("why", id).out()).contains("2 attempts, 1 counted", "not counted, parked in retry-2 until");
        String unresolved = rows.unresolved();
        assertThat(call("why", unresolved).out()).contains("Next status query to stripe: due at 20");
    }

    @Test
    void a_failure_that_counts_no_more_and_the_one_that_it_died_of_are_told_as_the_header_counts_them() {
        String id = rows.accepted("acme");
        rows.retry(id, 1, "first");
        waiting.pardon(id);
        rows.retry(id, 1, "second");
        rows.retry(id, 2, "third");
        rows.fail(id, "last");
        String out = call("why", id).out();
        assertThat(out).contains("4 attempts, 3 counted\n")
                .containsOnlyOnce("not counted any more, for its PSP was not well; waits in retry-1 until")
                .containsOnlyOnce(" counted, waits in retry-1 until").containsOnlyOnce(" counted, waits in retry-2 until")
                .contains("counted, dead: psp_unwell (last)");
        assertThat(call("why", id, "--json").json()).filteredOn(line -> line.has("counted"))
                .extracting(line -> line.path("counted").asBoolean()).containsExactly(false, true, true, true);
        call("merge", id, "--yes", "--wait", "0");
        assertThat(call("why", id).out()).contains("4 attempts, 0 counted since the last merge").contains("counted, dead: psp_unwell");
    }

    @Test
    void an_attempt_that_was_sent_again_under_its_key_says_so() {
        String id = rows.dead();
        assertThat(call("why", id).out()).doesNotContain("times in all");
        rows.text("UPDATE payment_attempt SET sends = 2 RETURNING 1");
        for (String command : List.of("why", "show")) {
            assertThat(call(command, id).out()).contains(", sent 2 times in all under this key, for no sure answer had come");
        }
        assertThat(call("why", id, "--json").json().get(1).path("sends").asInt()).isEqualTo(2);
    }

    @Test
    void answers_that_repeat_are_told_once_with_their_number() {
        String id = rows.unresolvedAndAsked(false);
        for (int i = 0; i < 6; i++) {
            rows.text(
                    "INSERT INTO psp_observation (psp_key, source, outcome, cause, detail) SELECT psp_key, source, outcome, cause, detail "
                            + "FROM psp_observation WHERE source = 'query' LIMIT 1 RETURNING 1");
        }
        assertThat(call("why", id).out()).contains("the same 6 more times, 7 times in all")
                .containsOnlyOnce("stripe said when asked");
    }

    @Test
    void what_lies_ahead_is_marked() {
        String id = rows.accepted("acme");
        rows.succeed(id);
        rows.text("INSERT INTO receipt (receipt_id, operation_id, payment_id, merchant_id, kind, due_at) VALUES ('rcp_" + "c".repeat(32)
                + "', '" + id + "', '" + id + "', 'acme', 'charge', now() + interval '1 hour') RETURNING 1");
        assertThat(call("why", id).out()).contains("still to come: receipt of the charge waiting")
                .doesNotContain("still to come: attempt", "still to come: accepted");
    }

    @Test
    void poison_has_a_life_too_and_an_unknown_name_has_none() {
        String poison = rows.poison(new byte[] {1});
        assertThat(call("why", poison).out()).contains("dead: undecodable");
        assertThat(call("why", "pay_nobody").exit()).isEqualTo(1);
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
