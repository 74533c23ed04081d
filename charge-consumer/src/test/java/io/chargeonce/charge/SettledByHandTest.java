// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.outcome.ByHand;
import io.chargeonce.ledger.HandSettlement.State;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.HandSettlementTable;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A person reports the outcome of an attempt. The PSP is asked once more, and its answer outranks the person. */
class SettledByHandTest {

    private static final Outcome CANNOT_TELL =
            new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "look in the Customer Area", Optional.empty());
    private static final Outcome NOT_FOUND = new Outcome.Unknown(UnknownCause.NOT_FOUND, "no such payment", Optional.empty());
    private static final Outcome DOWN = new Outcome.Unknown(UnknownCause.CONNECTION_LOST, "reset", Optional.empty());

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;
    private String id;
    private PspKey key;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void unresolved() {
        process = books.forget().process(psp);
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answer = Optional.of(CANNOT_TELL);
        psp.canBeAsked = false;
        id = books.accept("order-1");
        process.drain();
        key = books.operation(id).attemptKey();
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.count("FROM dead_letter WHERE cause = 'unresolved' AND state = 'dead'") == 1;
        });
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private void find(Optional<String> reference) {
        books.find(id, reference);
    }

    private HandSettlement resolved() {
        Waiting.until(() -> process.resolver.runOnce() > 0);
        return found();
    }

    private HandSettlement found() {
        return books.database.withConnection(connection -> HandSettlementTable.find(connection, key)).orElseThrow();
    }

    private long incidents() {
        return books.count("FROM audit_record WHERE action = 'incident.settled_against_evidence' AND resource_id = '" + id + "'");
    }

    private void later(Outcome outcome) {
        process.resolutions.resolve(new OutcomeRecorder.Resolution(books.operation(id).accepted(), UUID.randomUUID(), key, "query", outcome,
                false,
                Optional.empty(), Optional.empty()));
    }

    @Test
    void what_the_psp_does_not_know_is_settled_as_charged_by_a_persons_finding() {
        books.theKeysAreForgotten();
        find(Optional.of("by-hand-1"));
        assertThat(resolved().state()).isEqualTo(State.SETTLED);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).pspReference()).contains("by-hand-1");
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(books.count("FROM psp_observation WHERE source = 'hand' AND outcome = 'charged'")).isEqualTo(1);
        assertThat(books.count("FROM audit_record WHERE action = 'dlq.settlement_settled' AND data ->> 'run' = 'run_" + id + "'"))
                .isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
        assertThat(psp.captures).isEmpty();
    }

    @Test
    void what_was_not_charged_stays_dead_and_sends_nothing_until_it_is_merged() {
        books.theKeysAreForgotten();
        find(Optional.empty());
        assertThat(resolved().state()).isEqualTo(State.SETTLED);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.operation(id).failureCause()).contains("settled_not_charged");
        assertThat(books.takeWork()).isEmpty();
        books.merge(id);
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.captures).hasSize(1);
    }

    @Test
    void while_the_psp_may_still_execute_the_key_it_cannot_be_settled_as_not_charged() {
        find(Optional.empty());
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
    }

    @Test
    void a_reference_is_refused_when_the_psp_has_named_the_attempt_otherwise_since() {
        books.theKeysAreForgotten();
        books.find(id, Optional.of("by-hand-1"));
        books.execute("UPDATE payment_attempt SET psp_reference = 'by-the-psp-1'");
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
        assertThat(found().answer()).contains("the PSP itself named the attempt by-the-psp-1 meanwhile");
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        books.find(id, Optional.of("by-the-psp-1"));
        assertThat(resolved().state()).isEqualTo(State.SETTLED);
    }

    @Test
    void within_the_visibility_lag_it_cannot_be_settled_either() {
        books.execute("UPDATE payment_attempt SET key_valid_until = now()");
        find(Optional.empty());
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
    }

    @Test
    void the_psps_answer_outranks_a_person() {
        books.theKeysAreForgotten();
        psp.answer = Optional.of(new Outcome.Charged("true-reference"));
        find(Optional.empty());
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
        assertThat(books.operation(id).pspReference()).contains("true-reference");
        assertThat(books.count("FROM psp_observation WHERE source = 'hand'")).isZero();
    }

    @Test
    void a_reference_that_the_psp_does_not_know_is_refused_and_forgotten() {
        psp.canBeAsked = true;
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.NOT_FOUND, "no such payment", Optional.of("typo")));
        find(Optional.of("typo"));
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
        assertThat(psp.queries.getLast().pspReference()).contains("typo");
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM payment_attempt WHERE psp_reference IS NOT NULL")).isZero();
        Waiting.until(() -> process.resolver.runOnce() > 0);
        assertThat(psp.queries.getLast().pspReference()).isEmpty();
    }

    @Test
    void a_psp_that_can_be_asked_and_finds_nothing_lets_a_person_say_that_it_did_not_charge() {
        books.theKeysAreForgotten();
        psp.canBeAsked = true;
        psp.answer = Optional.of(NOT_FOUND);
        find(Optional.empty());
        assertThat(resolved().state()).isEqualTo(State.SETTLED);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
    }

    @Test
    void a_psp_that_is_away_is_waited_for() {
        psp.answer = Optional.of(DOWN);
        find(Optional.of("by-hand-1"));
        assertThat(resolved()).satisfies(waiting -> {
            assertThat(waiting.state()).isEqualTo(State.WAITING);
            assertThat(waiting.answer()).hasValueSatisfying(answer -> assertThat(answer).contains("connection_lost"));
        });
        books.theKeysAreForgotten();
        psp.answer = Optional.of(CANNOT_TELL);
        assertThat(resolved().state()).isEqualTo(State.SETTLED);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @ParameterizedTest
    @EnumSource(value = UnknownCause.class,
            names = {"PSP_ERROR", "ANSWER_UNREADABLE", "KEY_IN_USE", "INTERNAL_ERROR", "STILL_PROCESSING", "ANOTHER_SEND", "NOT_FOUND",
                "CANNOT_BE_ASKED"})
    void while_the_psp_may_still_tell_a_person_who_says_charged_is_not_believed(UnknownCause cause) {
        psp.answer = Optional.of(new Outcome.Unknown(cause, "for the moment", Optional.empty()));
        find(Optional.of("invented-1"));
        assertThat(resolved()).satisfies(waiting -> {
            assertThat(waiting.state()).isEqualTo(State.WAITING);
            assertThat(waiting.answer()).hasValueSatisfying(answer -> assertThat(answer).contains(cause.tag(), "may still tell"));
        });
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM payment_attempt WHERE psp_reference IS NOT NULL")).isZero();
        psp.answer = Optional.of(new Outcome.Declined("lost_card", "no", Optional.empty()));
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
    }

    @Test
    void a_success_after_not_charged_is_an_incident_and_settles() {
        books.theKeysAreForgotten();
        find(Optional.empty());
        resolved();
        later(new Outcome.Charged("true-reference"));
        assertThat(incidents()).isEqualTo(1);
        assertThat(process.meters.counter("chargeonce.incidents", "what", "settled_against_evidence").count()).isEqualTo(1);
        assertThat(books.operation(id).pspReference()).contains("true-reference");
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
    }

    @Test
    void a_success_after_not_charged_and_another_charge_is_an_incident_and_is_reversed() {
        books.theKeysAreForgotten();
        find(Optional.empty());
        resolved();
        books.merge(id);
        process.drain();
        later(new Outcome.Charged("true-reference"));
        process.drain();
        assertThat(incidents()).isEqualTo(1);
        assertThat(psp.refunds.given).singleElement().satisfies(refund -> assertThat(refund.capture()).isEqualTo("true-reference"));
    }

    @Test
    void a_failure_after_charged_is_an_incident_and_the_payment_stays_settled() {
        books.theKeysAreForgotten();
        find(Optional.of("by-hand-1"));
        resolved();
        later(new Outcome.Failed(FailureCause.PSP_UNWELL, "it never came"));
        assertThat(incidents()).isEqualTo(1);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void another_reference_is_an_incident_and_the_psps_is_the_one_that_counts() {
        books.theKeysAreForgotten();
        find(Optional.of("by-hand-1"));
        resolved();
        later(new Outcome.Charged("true-reference"));
        later(new Outcome.Charged("true-reference"));
        assertThat(incidents()).isEqualTo(1);
        assertThat(books.operation(id).pspReference()).contains("true-reference");
        assertThat(books.count("FROM operation WHERE kind = 'reversal'")).isZero();
    }

    @Test
    void a_refund_that_has_not_left_goes_by_the_reference_that_the_psp_corrected() {
        books.theKeysAreForgotten();
        find(Optional.of("of-another-payment"));
        resolved();
        books.refund(id, OptionalLong.of(100), "line-1");
        later(new Outcome.Charged("true-reference"));
        process.drain();
        assertThat(psp.refunds.calls).singleElement().satisfies(refund -> assertThat(refund.capture()).isEqualTo("true-reference"));
    }

    /** The payment was charged, and the answer about its refund is lost. */
    private void refundInstead(Outcome.Unknown answer) {
        books.theKeysAreForgotten();
        find(Optional.of("by-hand-1"));
        resolved();
        psp.refunds.executesBeforeItFails = false;
        psp.refunds.answersStatusQueries = false;
        psp.refunds.then(answer);
        psp.refunds.answer = answer.pspReference().map(known -> answer);
        books.refund(id, OptionalLong.of(100), "line-1");
        process.drain();
        id = "payment-" + id + "-refund-line-1";
        key = books.operation(id).attemptKey();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
    }

    @Test
    void a_refund_is_asked_about_under_its_key_whatever_reference_a_person_names() {
        refundInstead(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
        find(Optional.of("invented-1"));
        assertThat(resolved().state()).isEqualTo(State.WAITING);
        psp.refunds.answersStatusQueries = true;
        assertThat(resolved().state()).isEqualTo(State.CONFIRMED);
        assertThat(books.operation(id).pspReference()).contains("refund-" + key);
    }

    @Test
    void where_another_send_would_tell_nothing_new_a_person_is_believed_while_the_key_lives() {
        var received = new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "its webhook will report the result", Optional.of("back-1"));
        refundInstead(received);
        find(Optional.of("back-1"));
        assertThat(resolved().state()).isEqualTo(State.SETTLED);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_finding_that_is_out_of_date_or_not_approved_decides_nothing() {
        find(Optional.of("by-hand-1"));
        books.execute("UPDATE operation_state SET step = step + 1");
        assertThat(resolved().state()).isEqualTo(State.WAITING);
        find(Optional.of("by-hand-1"));
        books.execute("UPDATE hand_settlement SET approved_by = NULL");
        assertThat(resolved().state()).isEqualTo(State.WAITING);
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
    }

    @Test
    void a_resolver_that_lost_its_lease_settles_nothing_by_a_persons_word() {
        find(Optional.of("by-hand-1"));
        var finding = ByHand.after(found(), CANNOT_TELL, false, true, false);
        process.resolutions
                .resolve(new OutcomeRecorder.Resolution(books.operation(id).accepted(), UUID.randomUUID(), key, "query", CANNOT_TELL,
                        false, Optional.empty(), Optional.of(finding)));
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM psp_observation WHERE source = 'hand'")).isZero();
    }

    @Test
    void a_webhook_during_the_status_query_outranks_a_person() {
        books.theKeysAreForgotten();
        find(Optional.empty());
        psp.behind = () -> later(new Outcome.Charged("true-reference"));
        assertThat(resolved().state()).isEqualTo(State.REFUSED);
        Waiting.until(() -> books.state(id) == OperationState.SUCCEEDED || process.resolver.runOnce() > 0);
        assertThat(books.operation(id).pspReference()).contains("true-reference");
    }

    @Test
    void a_refund_is_settled_both_ways_too() {
        books.theKeysAreForgotten();
        find(Optional.of("by-hand-1"));
        resolved();
        psp.refunds.then(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
        psp.refunds.answer = Optional.of(CANNOT_TELL);
        String payment = id;
        for (Optional<String> reference : List.of(Optional.of("back-1"), Optional.<String>empty())) {
            psp.refunds.executesBeforeItFails = false;
            psp.refunds.then(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
            books.refund(payment, OptionalLong.of(100), reference.orElse("none"));
            process.drain();
            id = "payment-" + payment + "-refund-" + reference.orElse("none");
            key = books.operation(id).attemptKey();
            books.theKeysAreForgotten();
            find(reference);
            assertThat(resolved().state()).isEqualTo(State.SETTLED);
            assertThat(books.state(id)).isEqualTo(reference.isPresent() ? OperationState.SUCCEEDED : OperationState.DEAD);
        }
    }
}
