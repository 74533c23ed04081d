// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.RefundCall;
import io.chargeonce.checker.evidence.Sources;
import io.chargeonce.checker.finding.Event;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.Violation;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A world in balance is balanced; broken in one place, the invariant of that place is named with its payment, and no other. Here
 * what clients, rows and PSPs say; topics have a test of their own.
 */
class CheckerTest {

    private final Sample sample = new Sample();
    private final World world = sample.world;

    @AfterEach
    void close() throws SQLException {
        sample.close();
    }

    @Test
    void a_world_in_balance_is_balanced() {
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.balanced()).isTrue();
        assertThat(verdict.json()).isEqualTo("{\"verdict\":\"balanced\",\"balanced\":true,\"accepted\":5,\"succeeded\":2,"
                + "\"declined\":1,\"dead\":1,\"purged\":1,\"canceled\":0,\"in_flight\":0,\"psp_captures\":2,\"lost\":0,"
                + "\"double_charged\":0,\"phantom\":0,\"wrong_amount\":0,\"outcome_missing\":0,\"outcome_conflict\":0,\"over_refunded\":0,"
                + "\"attempts_not_monotone\":0,\"early_retries\":0}");
    }

    @Test
    void repeats_and_late_copies_on_topics_leave_it_balanced() {
        sample.outcome(sample.charged, "succeeded", 2, 1, "pi_" + sample.charged);
        sample.request("requests", sample.charged, "charged", 1, 1299, "1", Sample.at(0));
        sample.retry(sample.retried, 1, 2, 2, Sample.at(30));
        world.send("dlq", sample.purged, "{\"revision\":1}");
        world.commitOffsets();
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void it_is_unknown_while_a_payment_is_under_way_unless_that_is_allowed() {
        String waiting = sample.accept("waiting", "accepted", 1, 0);
        assertThat(world.check().kind()).isEqualTo(CheckVerdict.Kind.UNKNOWN);
        assertThat(world.check().count("in_flight")).isEqualTo(1);
        assertThat(world.check().report()).contains("not at rest: 1 payments, refunds and reversals under way, 0 rows in the outbox");
        world.inFlightAllowed = true;
        assertThat(world.check().balanced()).as(waiting).isTrue();
    }

    @Test
    void a_refund_that_waits_for_a_dead_payment_is_at_rest_until_a_person_acts() {
        String refund = sample.refundThatWaits(sample.dead);
        assertThat(world.check().balanced()).as(refund).isTrue();
        assertThat(world.check().report())
                .contains("1 refunds wait for a payment that is dead or purged: merge it, or wait until its purge is final");
        assertThat(Checker.underWay(world.evidence())).isZero();
    }

    @Test
    void a_refund_of_a_purged_payment_waits_until_the_purge_is_final() {
        world.sql("UPDATE operation_state SET settled_at = NULL WHERE operation_id = '" + sample.purged + "'");
        sample.refundThatWaits(sample.purged);
        assertThat(Checker.underWay(world.evidence())).isZero();
        assertThat(world.check().kind()).isEqualTo(CheckVerdict.Kind.BALANCED);
        world.sql("UPDATE operation_state SET settled_at = now() WHERE operation_id = '" + sample.purged + "'");
        assertThat(Checker.underWay(world.evidence())).isOne();
        assertThat(world.check().kind()).isNotEqualTo(CheckVerdict.Kind.BALANCED);
    }

    @Test
    void a_refund_that_waits_for_a_payment_under_way_is_under_way() {
        sample.refundThatWaits(sample.accept("waiting", "accepted", 1, 0));
        assertThat(world.check().kind()).isEqualTo(CheckVerdict.Kind.UNKNOWN);
        assertThat(world.check().report()).contains("not at rest: 2 payments, refunds and reversals under way")
                .doesNotContain("wait for a payment that is dead");
        assertThat(Checker.underWay(world.evidence())).isEqualTo(2);
    }

    @Test
    void a_report_tells_a_payments_history_without_saying_how_or_by_whom_it_was_paid() {
        world.sql("UPDATE operation SET customer = 'cus_7', receipt_email = 'ann@example.com'");
        world.send("requests", sample.charged, "4242424242424242 is no JSON");
        world.forgetMovements();
        CheckVerdict verdict = world.check();
        assertThat(verdict.timelines()).containsKey(sample.charged);
        assertThat(verdict.timelines().get(sample.charged)).extracting(Event::what).anySatisfy(
                what -> assertThat(what).contains("\"payment_method\":\"****\"", "\"amount\":1299"));
        assertThat(verdict.report() + verdict.json()).contains("27 characters that are no JSON")
                .doesNotContain("pm_card_visa", "cus_7", "ann@example.com", "4242424242424242");
    }

    @Test
    void accepted_durable_an_acceptance_without_a_row_is_lost() {
        String gone = RederivedId.ofPayment("acme", "gone");
        world.calls.add(
                new ClientCall("acme", "gone", new ClientCall.Content(5, "EUR", "pm_card_visa"), ClientCall.Result.OK, Optional.of(gone)));
        world.breaks(Invariant.ACCEPTED_DURABLE, gone, "lost");
    }

    @Test
    void accepted_durable_a_refused_call_with_a_row_is_a_phantom() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.calls.add(new ClientCall("acme", "dead", Sample.CONTENT, ClientCall.Result.FAIL, Optional.empty()));
        world.breaks(Invariant.ACCEPTED_DURABLE, sample.dead, "phantom");
    }

    @Test
    void accepted_durable_a_row_says_what_the_client_sent() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.calls.add(new ClientCall("acme", "dead", new ClientCall.Content(1298, "EUR", "pm_card_visa"), ClientCall.Result.UNKNOWN,
                Optional.empty()));
        world.breaks(Invariant.ACCEPTED_DURABLE, sample.dead);
    }

    @Test
    void accepted_durable_a_row_takes_the_money_from_where_the_client_said() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        var otherCard = new ClientCall.Content(1299, "EUR", "pm_card_mastercard");
        world.calls.add(new ClientCall("acme", "dead", otherCard, ClientCall.Result.OK, Optional.of(sample.dead)));
        world.breaks(Invariant.ACCEPTED_DURABLE, sample.dead);
    }

    /** What needs more memory than there is, is read several times, one share of the payments after the other. */
    @Test
    void in_several_passes_the_same_is_found_as_in_one() {
        String waiting = sample.accept("waiting", "accepted", 1, 0);
        sample.refund(sample.charged, "line-2", 500);
        sample.refund(sample.retried, "", 1299);
        world.moved(0, "refund", sample.retried, 1299, "eur", "k8", "payment-" + sample.retried + "-refund");
        world.moved(0, "refund", sample.charged, 499, "eur", RederivedId.ofAttempt(sample.charged, "refund", "line-2", "stripe", 1), "");
        world.moved(1, "capture", sample.declined, 1299, "eur", "k7", "");
        world.moved(1, "capture", "pay_of_others", 5, "usd", "k6", "");
        world.send("outcomes", "unknown", "{\"settled_at\":\"" + Sample.at(5) + "\"}");
        world.send("requests", sample.dead, "not json either");
        world.send("dlq", null, "{}");
        world.calls.add(
                new ClientCall("acme", "gone", Sample.CONTENT, ClientCall.Result.OK, Optional.of(RederivedId.ofPayment("acme", "gone"))));
        world.commitOffsets();
        CheckVerdict once = world.check();
        world.shares = 4;
        CheckVerdict inShares = world.check();

        assertThat(once.violations()).as(waiting).hasSizeGreaterThan(8);
        assertThat(inShares.violations()).containsExactlyInAnyOrderElementsOf(once.violations());
        assertThat(inShares.counts()).isEqualTo(once.counts());
        assertThat(inShares.timelines().keySet()).isEqualTo(once.timelines().keySet());
    }

    @Test
    void accepted_durable_a_refund_that_was_answered_and_has_no_row_is_lost() {
        String refund = "payment-" + sample.charged + "-refund-line-2";
        world.refundCalls.add(
                new RefundCall(sample.charged, Optional.of("line-2"), OptionalLong.of(500), ClientCall.Result.OK, Optional.of(refund)));
        world.breaks(Invariant.ACCEPTED_DURABLE, refund, "lost");
    }

    @Test
    void accepted_durable_a_refunds_row_has_the_amount_that_was_answered() {
        String refund = sample.refund(sample.charged, "line-2", 500);
        world.moved(0, "refund", sample.charged, 500, "eur", "k9", refund);
        var call = new RefundCall(sample.charged, Optional.of("line-2"), OptionalLong.of(500), ClientCall.Result.OK, Optional.of(refund));
        world.refundCalls.add(call);
        world.refundCalls.add(
                new RefundCall(sample.charged, Optional.of("line-3"), OptionalLong.of(1), ClientCall.Result.UNKNOWN, Optional.empty()));
        assertThat(world.check().balanced()).isTrue();
        world.refundCalls
                .add(new RefundCall(sample.charged, call.reference(), OptionalLong.of(501), ClientCall.Result.OK, call.refundId()));
        world.breaks(Invariant.ACCEPTED_DURABLE, refund, "wrong_amount");
    }

    @Test
    void psp_agrees_money_is_compared_as_decimals_by_the_psps_own_table() {
        world.sql("SET session_replication_role = replica",
                "UPDATE operation SET amount = 500, currency = 'ISK' WHERE operation_id = '" + sample.dead + "'",
                "UPDATE dead_letter SET amount = 500, currency = 'ISK' WHERE dead_letter_id = '" + sample.dead + "'");
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.movedAs("capture", sample.dead, 50_000, "500.00", "ISK", "");
        world.movedAs("refund", sample.dead, 50_000, "500.00", "ISK", "attempt-1-reversal");
        sample.giveBack("reversal", "attempt-1-reversal", sample.dead, "", 500);
        world.sql("UPDATE operation SET currency = 'ISK' WHERE operation_id = 'attempt-1-reversal'");
        assertThat(world.check().count("wrong_amount")).isZero();
        world.movedAs("capture", sample.dead, 500, "5.00", "ISK", "");
        assertThat(world.check().count("wrong_amount")).isOne();
    }

    @Test
    void outcomes_that_the_topic_may_have_forgotten_are_not_missing() {
        world.forget("outcomes", Duration.ofDays(14));
        assertThat(world.check().violations()).isEmpty();
        world.sql("UPDATE operation_state SET settled_at = now() WHERE operation_id = '" + sample.charged + "'");
        CheckVerdict verdict = world.check();
        assertThat(verdict.count("outcome_missing")).isOne();
        assertThat(verdict.violations()).extracting(Violation::invariant).containsExactlyInAnyOrder(Invariant.OUTCOME_AGREES,
                Invariant.MONEY_SUM);
    }

    private void becomesSucceededAt(int revision, String payment) {
        sample.attempt(payment, 2, "succeeded", Sample.at(30));
        world.sql("UPDATE operation_state SET state = 'succeeded', step = %d, sequence = 2 WHERE operation_id = '%s'".formatted(revision,
                payment));
        world.sql("INSERT INTO audit_record (actor, action, resource_type, resource_id, data) VALUES ('charge-consumer', "
                + "'incident.succeeded_after_decline', 'operation', '%s', '{}')".formatted(payment));
        world.moved(0, "capture", payment, 1299, "eur", "k-late", "");
    }

    @Test
    void an_event_of_a_decline_that_never_was_is_found_though_the_payment_succeeded() {
        sample.outcome(sample.charged, "declined", 1, 1, "pi_" + sample.charged);
        world.breaks(Invariant.OUTCOME_AGREES, sample.charged);
    }

    @Test
    void a_success_after_a_decline_has_two_outcome_events_and_the_one_of_the_higher_revision_counts() {
        becomesSucceededAt(3, sample.declined);
        assertThat(world.check().count("outcome_missing")).as("the decline is not its outcome any more").isOne();
        sample.outcome(sample.declined, "succeeded", 3, 2, "pi_" + sample.declined);
        assertThat(world.check().violations()).extracting(Violation::invariant).doesNotContain(Invariant.OUTCOME_AGREES,
                Invariant.MONEY_SUM);
        sample.outcome(sample.declined, "succeeded", 3, 2, "pi_" + sample.declined, "another");
        world.breaks(Invariant.OUTCOME_AGREES, sample.declined);
    }

    @Test
    void an_older_event_of_a_success_and_two_of_a_decline_and_one_with_another_amount_are_found() {
        becomesSucceededAt(4, sample.declined);
        sample.outcome(sample.declined, "succeeded", 4, 2, "pi_" + sample.declined);
        assertThat(world.check().count("outcome_conflict")).isZero();
        sample.outcome(sample.declined, "declined", 3, 1, "pi_" + sample.declined);
        assertThat(world.check().count("outcome_conflict")).isOne();
        sample.outcome(sample.charged, "succeeded", 1, 1, "pi_" + sample.charged);
        assertThat(world.check().count("outcome_conflict")).isEqualTo(2);
        sample.outcome(sample.retried, "declined", 4, 2, "pi_" + sample.retried);
        assertThat(world.check().count("outcome_conflict")).as("a success is not overtaken by a decline").isEqualTo(3);
    }

    @Test
    void an_unanswered_call_is_either_accepted_or_not() {
        world.calls.removeIf(call -> call.key().equals("dead"));
        world.calls.add(new ClientCall("acme", "dead", Sample.CONTENT, ClientCall.Result.UNKNOWN, Optional.empty()));
        world.calls.add(new ClientCall("acme", "unknown", Sample.CONTENT, ClientCall.Result.UNKNOWN, Optional.empty()));
        assertThat(world.check().balanced()).isTrue();
    }

    @Test
    void idempotent_accept_another_payload_under_the_key_was_accepted() {
        var otherCard = new ClientCall.Content(1299, "EUR", "pm_card_mastercard");
        world.calls.add(new ClientCall("acme", "charged", otherCard, ClientCall.Result.OK, Optional.of(sample.charged)));
        world.breaks(Invariant.IDEMPOTENT_ACCEPT, sample.charged);
    }

    @Test
    void idempotent_accept_one_key_was_answered_with_two_payments() {
        world.calls.add(new ClientCall("acme", "charged", Sample.CONTENT, ClientCall.Result.OK, Optional.of(sample.dead)));
        world.breaks(Invariant.IDEMPOTENT_ACCEPT, sample.charged);
    }

    @Test
    void conservation_an_outcome_and_a_live_dead_letter_exclude_each_other() {
        sample.letter(sample.charged, "dead", 1);
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant)
                .containsExactlyInAnyOrder(Invariant.CONSERVATION, Invariant.DLQ_ALGEBRA);
    }

    @Test
    void conservation_a_purged_payment_has_no_attempt_that_may_have_moved_money() {
        world.sql("UPDATE payment_attempt SET state = 'unknown', failed_definite = false WHERE operation_id = '" + sample.purged + "'");
        world.breaks(Invariant.CONSERVATION, sample.purged);
        world.sql("UPDATE operation_state SET resolve_at = now() WHERE operation_id = '" + sample.purged + "'");
        assertThat(world.check().violations()).as("its PSP is still asked").isEmpty();
    }

    @Test
    void one_capture_a_second_capture_at_another_psp_under_another_key_is_a_double_charge() {
        world.moved(1, "capture", sample.charged, 1299, "eur", "another-key", "");
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant).contains(Invariant.ONE_CAPTURE);
        assertThat(verdict.count("double_charged")).isEqualTo(1);
        assertThat(verdict.timelines().get(sample.charged)).extracting(Event::source).anyMatch(source -> source.startsWith("ledger of"));
    }

    @Test
    void one_capture_a_reversed_second_capture_is_none() {
        world.moved(1, "capture", sample.charged, 1299, "eur", "another-key", "");
        sample.giveBack("reversal", "attempt-another-key-reversal", sample.charged, "another-key", 1299);
        world.moved(1, "refund", sample.charged, 1299, "eur", "r0", "attempt-another-key-reversal");
        assertThat(world.check().violations()).isEmpty();
    }

    @Test
    void refunds_one_for_each_entity() {
        world.moved(0, "refund", sample.charged, 700, "eur", "r1", sample.refund(sample.charged, "line-1", 700));
        world.moved(0, "refund", sample.charged, 599, "eur", "r2", sample.refund(sample.charged, "line-2", 599));
        assertThat(world.check().violations()).isEmpty();
        assertThat(world.check().count("accepted")).isEqualTo(5);
    }

    @Test
    void refunds_two_for_one_entity_are_one_too_many() {
        String refund = sample.refund(sample.charged, "", 100);
        world.moved(0, "refund", sample.charged, 100, "eur", "r1", refund);
        world.moved(0, "refund", sample.charged, 100, "eur", "r2", refund);
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).isNotEmpty().extracting(Violation::invariant).containsOnly(Invariant.REFUNDS);
        assertThat(verdict.timelines()).containsKeys(sample.charged, refund);
    }

    @Test
    void refunds_go_by_their_entity_and_not_by_the_name_of_the_request() {
        sample.giveBack("refund", "request-7", sample.charged, "line-1", 100);
        world.moved(0, "refund", sample.charged, 100, "eur", "r1", "request-7");
        world.breaks(Invariant.REFUNDS, "request-7");
    }

    @Test
    void refunds_never_exceed_the_capture() {
        world.moved(0, "refund", sample.charged, 700, "eur", "r1", sample.refund(sample.charged, "line-1", 700));
        world.moved(0, "refund", sample.charged, 600, "eur", "r2", sample.refund(sample.charged, "line-2", 600));
        world.breaks(Invariant.REFUNDS, sample.charged, "over_refunded");
    }

    @Test
    void psp_agrees_a_refund_that_succeeded_gave_the_money_back() {
        world.breaks(Invariant.PSP_AGREES, sample.refund(sample.charged, "", 100), "phantom");
    }

    @Test
    void psp_agrees_a_capture_of_a_payment_that_was_never_accepted_is_a_phantom() {
        world.moved(0, "capture", "pay_unknown", 1, "eur", "k", "");
        world.breaks(Invariant.PSP_AGREES, "pay_unknown", "phantom");
    }

    @Test
    void psp_agrees_a_declined_payment_was_captured() {
        world.moved(0, "capture", sample.declined, 1299, "eur", "k", "");
        world.breaks(Invariant.PSP_AGREES, sample.declined, "phantom");
    }

    @Test
    void psp_agrees_a_succeeded_payment_was_not_captured_and_the_sums_differ() {
        world.forgetMovements();
        world.moved(0, "capture", sample.charged, 1299, "eur", "k1", "");
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::invariant).containsExactlyInAnyOrder(Invariant.PSP_AGREES,
                Invariant.MONEY_SUM);
    }

    @Test
    void psp_agrees_the_captured_amount_is_the_accepted_one() {
        world.forgetMovements();
        world.moved(0, "capture", sample.charged, 1300, "eur", "k1", "");
        world.moved(1, "capture", sample.retried, 1299, "eur", "k2", "");
        CheckVerdict verdict = world.check();
        assertThat(verdict.count("wrong_amount")).isEqualTo(1);
        assertThat(verdict.violations()).extracting(Violation::invariant).containsExactlyInAnyOrder(Invariant.PSP_AGREES,
                Invariant.MONEY_SUM);
    }

    @Test
    void psp_agrees_a_decline_is_the_answer_and_not_tried_again() {
        world.answered(Sample.key(sample.declined, 1), 402);
        assertThat(world.check().balanced()).isTrue();
        world.answered(Sample.key(sample.retried, 1), 402);
        world.breaks(Invariant.PSP_AGREES, sample.retried);
    }

    @Test
    void psp_agrees_a_declined_payment_is_not_dead() {
        world.answered(Sample.key(sample.dead, 1), 402);
        world.breaks(Invariant.PSP_AGREES, sample.dead);
    }

    @Test
    void psp_agrees_a_declined_payment_whose_next_presentation_a_person_stopped_may_be_dead() {
        world.answered(Sample.key(sample.dead, 1), 402);
        world.sql("UPDATE operation_state SET failure_cause = 'stopped' WHERE operation_id = '" + sample.dead + "'");
        assertThat(world.check().balanced()).isTrue();
    }

    @Test
    void attempts_monotone_none_is_skipped() {
        world.sql("UPDATE payment_attempt SET sequence = 3 WHERE sequence = 2",
                "UPDATE operation_state SET sequence = 2 WHERE operation_id = '" + sample.retried + "'");
        world.breaks(Invariant.ATTEMPTS_MONOTONE, sample.retried, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_none_goes_to_the_same_psp_again_without_having_waited() {
        world.sql("DELETE FROM tier_visit WHERE operation_id = '" + sample.retried + "'");
        world.breaks(Invariant.ATTEMPTS_MONOTONE, sample.retried, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_none_starts_before_the_last_one_failed() {
        world.sql("UPDATE payment_attempt SET decided_at = '" + Sample.at(8) + "' WHERE sequence = 1 AND operation_id = '" + sample.retried
                + "'");
        world.breaks(Invariant.ATTEMPTS_MONOTONE, sample.retried, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_none_follows_the_end() {
        world.sql("UPDATE operation_state SET settled_at = '" + Sample.at(0) + "' WHERE operation_id = '" + sample.charged + "'");
        world.breaks(Invariant.ATTEMPTS_MONOTONE, sample.charged, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_each_is_sent_under_the_key_that_it_derives() {
        world.sql("UPDATE payment_attempt SET psp_key = 'serial-4711' WHERE operation_id = '" + sample.charged + "'");
        world.breaks(Invariant.ATTEMPTS_MONOTONE, sample.charged, "attempts_not_monotone");
    }

    @Test
    void attempts_monotone_the_index_that_guards_them_is_there() {
        world.sql("DROP INDEX one_open_attempt");
        CheckVerdict verdict = world.check();
        assertThat(verdict.violations()).extracting(Violation::toString).singleElement().asString().contains("one_open_attempt is missing");
    }

    @Test
    void the_queries_of_a_check_end_with_it() throws SQLException {
        try (var connection = Sources.of(world.evidence()).database(); var statement = connection.createStatement();
             var row = statement.executeQuery("SELECT current_setting('statement_timeout') || ' ' "
                     + "|| current_setting('client_connection_check_interval')")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("10min 5s");
        }
    }
}
