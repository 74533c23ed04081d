// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Notice;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker stalls during its call; by the time its answer arrives the payment has gone on without it. */
class LateAnswersTest {

    private final FakePsp psp = new FakePsp();
    private static EngineFixture books;
    private EngineFixture.Process stalled;
    private EngineFixture.Process other;
    private String payment;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void accept() {
        books.forget();
        stalled = books.mortalProcess(psp);
        other = books.process(psp);
        payment = books.accept("order-1");
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    /** While this worker waits for its answer the others do {@code meanwhile}; then it gets the money nevertheless. */
    private void captureLateAfter(Runnable meanwhile) {
        answerLate(meanwhile, psp::captureRegardless);
    }

    private void answerLate(Runnable meanwhile, java.util.function.Function<Charge, Outcome> answer) {
        psp.then((fake, charge) -> {
            meanwhile.run();
            return answer.apply(charge);
        });
        stalled.handle(books.takeWork().getFirst());
    }

    private void resolverAsks() {
        Waiting.until(() -> other.resolver.runOnce() > 0);
    }

    private void cancelledByTheResolver() {
        resolverAsks();
        assertThat(books.state(payment)).isEqualTo(OperationState.SCHEDULED);
    }

    private long reversals() {
        return books.count("FROM operation WHERE kind = 'reversal'");
    }

    private long audited(String action) {
        return books.count("FROM audit_record WHERE resource_id = '" + payment + "' AND action = '" + action + "'");
    }

    @Test
    void a_late_success_of_an_open_attempt_settles_it_without_another_status_query() {
        psp.answersStatusQueries = false;
        captureLateAfter(this::resolverAsks);
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM payment_attempt WHERE state = 'succeeded'")).isEqualTo(1);
        int asked = psp.queries.size();

        Waiting.until(() -> other.resolver.runOnce() > 0);
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.queries).hasSize(asked);
        assertThat(books.count("FROM psp_observation WHERE outcome = 'charged'")).as("no more than the late answer").isEqualTo(1);
        assertThat(reversals()).isZero();
    }

    @Test
    void what_is_recorded_already_is_no_news_from_a_resolver_that_lost_its_lease() {
        psp.answersStatusQueries = false;
        captureLateAfter(this::resolverAsks);
        PspKey key = books.operation(payment).attemptKey();
        other.resolutions.resolve(
                new OutcomeRecorder.Resolution(books.operation(payment).accepted(), java.util.UUID.randomUUID(), key, OutcomeRecorder.KNOWN,
                        new Outcome.Charged("late-" + key.value()), false, Optional.empty(), Optional.empty()));
        assertThat(other.meters.counter("chargeonce.bugs", "where", "resolve").count()).isZero();
        assertThat(books.count("FROM psp_observation WHERE outcome = 'charged'")).isEqualTo(1);
        assertThat(books.state(payment)).as("the resolver that holds the lease settles it").isEqualTo(OperationState.UNRESOLVED);
    }

    @Test
    void a_late_decline_of_an_open_attempt_settles_it_too() {
        psp.answersStatusQueries = false;
        answerLate(this::resolverAsks, charge -> new Outcome.Declined("lost_card", "no", Optional.of("ref")));
        Waiting.until(() -> other.resolver.runOnce() > 0);
        assertThat(books.state(payment)).isEqualTo(OperationState.DECLINED);
        assertThat(books.operation(payment).failureCause()).contains("lost_card");
    }

    @Test
    void a_late_refused_connection_says_nothing_once_the_key_was_sent_again() {
        psp.answersStatusQueries = false;
        answerLate(this::resolverAsks, charge -> new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "late"));
        assertThat(books.count("FROM payment_attempt WHERE state = 'unknown' AND sends = 2")).isEqualTo(1);
        assertThat(books.count("FROM psp_answer WHERE cause = 'another_send'")).isEqualTo(1);
    }

    @Test
    void a_first_answer_that_it_charged_is_stored_in_its_row_and_later_ones_beside_it() {
        other.drain();
        PspKey key = books.operation(payment).attemptKey();
        assertThat(books.count("FROM payment_attempt WHERE charged_at_once")).isEqualTo(1);
        assertThat(books.count("FROM psp_observation")).isZero();
        assertThat(books.count("FROM psp_answer WHERE source = 'call' AND outcome = 'charged'")).isEqualTo(1);

        told("evt_later", key, books.operation(payment).pspReference().orElseThrow());
        assertThat(books.count("FROM psp_observation WHERE source = 'webhook'")).isEqualTo(1);
        assertThat(books.count("FROM psp_answer")).isEqualTo(2);
    }

    @Test
    void a_call_that_is_answered_after_a_webhook_with_the_same_outcome_is_recorded_too() {
        psp.then((fake, charge) -> {
            told("evt_first", charge.key(), "late-" + charge.key().value());
            return psp.captureRegardless(charge);
        });
        stalled.handle(books.takeWork().getFirst());
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM payment_attempt WHERE state = 'succeeded' AND NOT charged_at_once")).isEqualTo(1);
        assertThat(books.count("FROM psp_observation WHERE source IN ('webhook', 'call') AND outcome = 'charged'")).isEqualTo(2);
    }

    @Test
    void a_late_unknown_changes_nothing_that_is_known() {
        answerLate(this::cancelledByTheResolver, charge -> new Outcome.Unknown(UnknownCause.CONNECTION_LOST, "late", Optional.empty()));
        assertThat(books.state(payment)).isEqualTo(OperationState.SCHEDULED);
        assertThat(books.count("FROM payment_attempt WHERE state = 'failed_definite'")).isEqualTo(1);
        assertThat(books.count("FROM psp_answer")).isEqualTo(2);
    }

    @Test
    void a_success_after_a_definite_failure_stops_the_retries() {
        captureLateAfter(this::cancelledByTheResolver);
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        other.drain();
        assertThat(psp.captures).hasSize(1);
        assertThat(books.count("FROM payment_attempt WHERE state = 'succeeded' AND failed_definite")).isEqualTo(1);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(1);
        assertThat(reversals()).isZero();
    }

    @Test
    void a_success_after_the_dead_letter_takes_it_out_of_the_queue() {
        captureLateAfter(() -> {
            cancelledByTheResolver();
            psp.then(FakePsp.FAIL, FakePsp.FAIL, FakePsp.FAIL);
            other.drain();
            assertThat(books.state(payment)).isEqualTo(OperationState.DEAD);
        });
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
    }

    @Test
    void a_second_capture_is_an_incident_and_is_reversed_once() {
        captureLateAfter(() -> {
            cancelledByTheResolver();
            other.drain();
            assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        });
        assertThat(psp.captures).hasSize(2);
        assertThat(audited("incident.captured_twice")).isEqualTo(1);
        other.drain();
        String late = psp.captures.getLast().key().value();
        assertThat(books.state("attempt-" + late + "-reversal")).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.refunds.given).singleElement().satisfies(refund -> {
            assertThat(refund.capture()).isEqualTo("late-" + late);
            assertThat(refund.money().minorUnits()).isEqualTo(1299);
        });
    }

    private void told(String name, PspKey key, String reference) {
        psp.tells = List.of(new Notice(name, key, Optional.of(reference),
                Optional.of(new Notice.Ended(Optional.of(psp.calls.getFirst().money()), false, new Outcome.Charged(reference)))));
        assertThat(other.inbox.take("fake", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
    }

    private void theSecondWentBackOnce(String first, String second) {
        assertThat(audited("incident.captured_twice")).isEqualTo(1);
        other.drain();
        assertThat(books.operation(payment).pspReference()).contains(first);
        assertThat(psp.refunds.given).singleElement().satisfies(refund -> assertThat(refund.capture()).isEqualTo(second));
        assertThat(reversals()).isEqualTo(1);
    }

    @Test
    void a_second_capture_under_one_key_is_an_incident_and_is_reversed_once() {
        other.drain();
        PspKey key = books.operation(payment).attemptKey();
        told("notice-1", key, "ref-" + key);
        assertThat(reversals()).as("the same capture, reported again").isZero();
        told("notice-2", key, "second");
        told("notice-3", key, "second");
        theSecondWentBackOnce("ref-" + key, "second");
    }

    @Test
    void a_capture_reported_with_another_reference_during_its_call_is_two_captures_too() {
        answerLate(() -> told("notice-1", psp.calls.getFirst().key(), "first"), psp::captureRegardless);
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        theSecondWentBackOnce("first", "late-" + psp.calls.getFirst().key());
    }

    @Test
    void a_failed_capture_of_a_reversed_attempt_is_an_incident_and_leaves_the_payment_as_it_is() {
        captureLateAfter(() -> {
            cancelledByTheResolver();
            other.drain();
        });
        Charge twice = psp.captures.getLast();
        psp.tells = List.of(new Notice("failed-1", twice.key(), Optional.of("capture-1"),
                Optional.of(new Notice.CaptureFailed(Optional.of(twice.money()), Optional.empty(), "expired"))));
        assertThat(other.inbox.take("fake", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(audited("incident.capture_failed")).isEqualTo(1);
        assertThat(books.count("FROM capture_failure")).isZero();
    }

    @Test
    void with_another_attempt_open_a_late_success_waits_and_is_reversed_if_that_one_captured() {
        captureLateAfter(this::openAnotherAttempt);
        assertThat(reversals()).isZero();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
        psp.answersStatusQueries = true;
        Waiting.until(() -> other.resolver.runOnce() > 0 && books.state(payment) == OperationState.SUCCEEDED);
        other.drain();
        assertThat(reversals()).isEqualTo(1);
        assertThat(psp.captures).hasSize(2);
        assertThat(psp.refunds.given).hasSize(1);
    }

    @Test
    void with_another_attempt_open_a_late_success_settles_the_payment_if_that_one_failed() {
        captureLateAfter(() -> {
            cancelledByTheResolver();
            psp.answersStatusQueries = false;
            psp.then(FakePsp.TIME_OUT_UNEXECUTED);
            other.drain();
        });
        psp.answersStatusQueries = true;
        Waiting.until(() -> other.resolver.runOnce() > 0 && books.state(payment) == OperationState.SUCCEEDED);
        other.drain();
        assertThat(psp.captures).hasSize(1);
        assertThat(books.operation(payment).pspReference()).contains("late-" + psp.captures.getFirst().key());
        assertThat(reversals()).isZero();
    }

    @Tag("proof")
    @Test
    void of_two_late_captures_beside_an_open_attempt_each_is_reversed_if_that_one_captured() {
        captureLateAfter(() -> captureLateAfterWith(this::openAnotherAttempt));
        psp.answersStatusQueries = true;
        Waiting.until(() -> other.resolver.runOnce() > 0 && books.state(payment) == OperationState.SUCCEEDED);
        other.drain();
        assertThat(psp.captures).hasSize(3);
        assertThat(reversals()).isEqualTo(2);
        assertThat(psp.refunds.given).hasSize(2);
        assertThat(audited("incident.captured_twice")).isEqualTo(2);
    }

    @Tag("proof")
    @Test
    void of_two_late_captures_one_settles_and_one_is_reversed_if_the_open_attempt_failed() {
        captureLateAfter(() -> captureLateAfterWith(() -> {
            cancelledByTheResolver();
            psp.answersStatusQueries = false;
            psp.then(FakePsp.TIME_OUT_UNEXECUTED);
            other.drain();
        }));
        psp.answersStatusQueries = true;
        Waiting.until(() -> other.resolver.runOnce() > 0 && books.state(payment) == OperationState.SUCCEEDED);
        other.drain();
        assertThat(psp.captures).hasSize(2);
        assertThat(reversals()).isEqualTo(1);
        assertThat(psp.refunds.given).singleElement()
                .satisfies(refund -> assertThat(books.operation(payment).pspReference()).isPresent().get().isNotEqualTo(refund.capture()));
    }

    @Test
    void a_success_after_a_failure_that_waits_for_the_resolver_settles_and_is_not_reversed() {
        psp.answersStatusQueries = false;
        answerLate(this::resolverAsks, charge -> new Outcome.Failed(FailureCause.PSP_UNWELL, "late"));
        PspKey key = books.operation(payment).attemptKey();
        other.resolutions
                .resolve(new OutcomeRecorder.Resolution(books.operation(payment).accepted(), java.util.UUID.randomUUID(), key, "query",
                        psp.captureRegardless(psp.calls.getFirst()), false,
                        Optional.empty(), Optional.empty()));
        Waiting.until(() -> other.resolver.runOnce() > 0);
        other.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(reversals()).isZero();
        assertThat(psp.refunds.given).isEmpty();
    }

    /** The same with the next attempt: a second worker stalls in it. */
    private void captureLateAfterWith(Runnable meanwhile) {
        cancelledByTheResolver();
        try (var second = books.process(psp)) {
            psp.then((fake, charge) -> {
                meanwhile.run();
                return fake.captureRegardless(charge);
            });
            var work = books.takeWork();
            Waiting.until(() -> second.handle(work.getFirst()) instanceof io.chargeonce.kafka.loop.Verdict.Done);
        }
    }

    private void openAnotherAttempt() {
        cancelledByTheResolver();
        psp.answersStatusQueries = false;
        psp.then(FakePsp.CAPTURE_AND_TIME_OUT);
        other.drain();
        assertThat(books.state(payment)).isEqualTo(OperationState.UNRESOLVED);
    }
}
