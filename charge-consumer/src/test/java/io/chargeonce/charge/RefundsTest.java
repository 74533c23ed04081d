// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.ledger.Refunds.Answer;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Notice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RefundsTest {

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp("first");
    private final FakePsp other = new FakePsp("other");
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @BeforeEach
    void open() {
        process = books.forget().process(psp, other);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    private String charged() {
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        return id;
    }

    private static String refundOf(String payment) {
        return "payment-" + payment + "-refund";
    }

    /** Its amount was used by another refund meanwhile. */
    @Test
    void a_declined_refund_that_is_paid_late_is_recorded_and_reported_if_it_is_too_much() {
        String id = charged();
        psp.refunds.then(new Outcome.Declined("refused", "no", Optional.empty()));
        books.refund(id, OptionalLong.empty(), "a");
        process.drain();
        assertThat(books.state(refundOf(id) + "-a")).isEqualTo(OperationState.DECLINED);
        books.refund(id, OptionalLong.of(1000), "b");
        process.drain();
        assertThat(books.refunded(id)).isEqualTo(1000);

        process.resolutions
                .resolve(new OutcomeRecorder.Resolution(books.operation(refundOf(id) + "-a").accepted(), java.util.UUID.randomUUID(),
                        books.operation(refundOf(id) + "-a").attemptKey(), "webhook", new Outcome.Charged("late"),
                        false, Optional.empty(), Optional.empty()));
        assertThat(books.refunded(id)).isEqualTo(2299);
        assertThat(books
                .count("FROM audit_record WHERE action = 'incident.succeeded_after_decline' AND resource_id = '" + refundOf(id) + "-a'"))
                .isEqualTo(1);
        assertThat(books.count("FROM audit_record WHERE action = 'incident.refunded_too_much' AND resource_id = '" + refundOf(id)
                + "-a' AND data ->> 'why' = '2299 go back, but 1299 EUR were captured'")).isEqualTo(1);
    }

    @Test
    void a_full_refund_goes_to_where_the_money_was_captured() {
        String id = charged();
        assertThat(books.refund(id, OptionalLong.empty(), "")).isInstanceOf(Answer.Accepted.class);
        process.drain();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.refunds.given).singleElement().satisfies(refund -> {
            assertThat(refund.money().minorUnits()).isEqualTo(1299);
            assertThat(refund.capture()).isEqualTo("ref-" + psp.captures.getFirst().key());
        });
        assertThat(books.refunded(id)).isEqualTo(1299);
        assertThat(books.staged(books.topics.outcomes())).isEqualTo(2);
    }

    /** Webhooks arrive in any order, and a PSP says that a refund failed only after it has taken it on. */
    @Test
    void a_refund_reported_as_failed_and_then_as_paid_has_failed() {
        String id = charged();
        psp.refunds.executesBeforeItFails = false;
        psp.refunds.answersStatusQueries = false;
        psp.refunds.then(new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "received", Optional.of("back-1")));
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        tell(id, "1", new Outcome.Failed(FailureCause.REFUND_FAILED, "the account is closed"));
        Waiting.until(() -> books.state(refundOf(id)) == OperationState.SCHEDULED || process.resolver.runOnce() < 0);
        String failed = books.operation(refundOf(id)).attemptKey().value();
        tell(id, "2", new Outcome.Charged("back-1"));
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.SCHEDULED);
        assertThat(books.count("FROM psp_answer WHERE psp_key = '" + failed + "' AND cause = 'overtaken'")).isEqualTo(1);
        process.drain();
        assertThat(psp.refunds.given).as("its next attempt").hasSize(1);
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void a_refund_that_fails_after_its_success_frees_its_amount_and_is_told_once() {
        String id = charged();
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        String refund = refundOf(id);
        String reference = books.operation(refund).pspReference().orElseThrow();
        var succeeded = books.operation(refund);
        tell(id, "1", new Outcome.Failed(FailureCause.REFUND_FAILED, "the account is closed"));
        tell(id, "2", new Outcome.Failed(FailureCause.REFUND_FAILED, "the account is closed"));
        var failed = books.operation(refund);
        assertThat(failed.state()).isEqualTo(OperationState.FAILED);
        assertThat(failed.step()).isEqualTo(succeeded.step() + 1);
        assertThat(failed.pspReference()).contains(reference);
        assertThat(failed.failureMessage()).hasValueSatisfying(text -> assertThat(text).contains("the account is closed"));
        assertThat(books.count("FROM outbox WHERE headers ->> 'ce_type' = 'io.chargeonce.refund.failed'")).isEqualTo(1);
        assertThat(books.count("FROM audit_record WHERE action = 'incident.refund_failed_late'")).isEqualTo(1);
        assertThat(books.refund(id, OptionalLong.of(1299), "again")).isInstanceOf(Answer.Accepted.class);
        process.drain();
        assertThat(books.refunded(id)).isEqualTo(1299);
        assertThat(books.refund(id, OptionalLong.of(1), "too-much")).isInstanceOf(Answer.TooMuch.class);
    }

    /** Both are known before the resolver settles the last one, which then fails. The money of the first has gone back all the same. */
    @Test
    void of_two_attempts_that_gave_back_the_one_stays_that_did_not_fail() {
        String id = charged();
        psp.refunds.answersStatusQueries = false;
        psp.refunds.executesBeforeItFails = false;
        psp.refunds.then(new Outcome.Failed(FailureCause.PSP_UNWELL, "500"),
                new Outcome.Unknown(UnknownCause.STILL_PROCESSING, "received", Optional.of("back-1")));
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        String refund = refundOf(id);
        assertThat(books.state(refund)).isEqualTo(OperationState.UNRESOLVED);
        var first = psp.refunds.calls.getFirst().key();
        assertThat(first).isNotEqualTo(books.operation(refund).attemptKey());
        process.resolutions
                .resolve(new OutcomeRecorder.Resolution(books.operation(refund).accepted(), java.util.UUID.randomUUID(), first, "webhook",
                        new Outcome.Charged("late"), false, Optional.empty(), Optional.empty()));
        tell(id, "1", new Outcome.Charged("back-1"));
        tell(id, "2", new Outcome.Failed(FailureCause.REFUND_FAILED, "the account is closed"));
        process.drain();
        assertThat(books.state(refund)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(refund).pspReference()).contains("late");
        assertThat(books.refund(id, OptionalLong.of(1), "again")).isInstanceOf(Answer.TooMuch.class);
    }

    private void tell(String payment, String notice, Outcome outcome) {
        var refund = books.operation(refundOf(payment));
        psp.tells = List.of(new Notice(notice, refund.attemptKey(), Optional.of("back-1"),
                Optional.of(new Notice.Ended(Optional.of(refund.accepted().request().money()), true, outcome))));
        assertThat(process.inbox.take("first", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
    }

    @Test
    void partial_refunds_are_distinguished_by_their_references() {
        String id = charged();
        books.refund(id, OptionalLong.of(500), "line-1");
        books.refund(id, OptionalLong.of(99), "line-2");
        process.drain();
        assertThat(books.refunded(id)).isEqualTo(599);
        books.refund(id, OptionalLong.empty(), "the-rest");
        process.drain();
        assertThat(books.refunded(id)).isEqualTo(1299);
        assertThat(psp.refunds.given).hasSize(3);
    }

    @Test
    void the_same_entity_key_is_one_refund_and_never_one_of_another_amount() {
        String id = charged();
        assertThat(books.refund(id, OptionalLong.of(500), "line-1")).isInstanceOfSatisfying(Answer.Accepted.class,
                accepted -> assertThat(accepted.isNew()).isTrue());
        assertThat(books.refund(id, OptionalLong.of(500), "line-1")).isInstanceOfSatisfying(Answer.Accepted.class,
                accepted -> assertThat(accepted.isNew()).isFalse());
        assertThat(books.refund(id, OptionalLong.of(400), "line-1")).isInstanceOf(Answer.Differs.class);
        process.drain();
        assertThat(psp.refunds.given).hasSize(1);
    }

    @Test
    void refunds_that_race_never_give_back_more_than_was_captured() throws Exception {
        String id = charged();
        try (var threads = Executors.newFixedThreadPool(8)) {
            List<Callable<Answer>> asks = new ArrayList<>();
            IntStream.range(0, 16).forEach(i -> asks.add(() -> books.refund(id, OptionalLong.of(500), "line-" + i)));
            var answers = new ArrayList<Answer>();
            for (var answer : threads.invokeAll(asks)) {
                answers.add(answer.get());
            }
            assertThat(answers).filteredOn(Answer.Accepted.class::isInstance).hasSize(2);
            assertThat(answers).filteredOn(Answer.TooMuch.class::isInstance).hasSize(14);
        }
        process.drain();
        assertThat(psp.refunds.given.stream().mapToLong(refund -> refund.money().minorUnits()).sum()).isEqualTo(1000);
    }

    @Test
    void no_refund_of_a_payment_that_was_never_captured_or_is_another_merchants() {
        psp.then(FakePsp.DECLINE);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.refund(id, OptionalLong.empty(), "")).isInstanceOf(Answer.NotCaptured.class);
        assertThat(books.refund("pay_aaaaaaaaaaaaaaaaaaaaaaaaaa", OptionalLong.empty(), "")).isInstanceOf(Answer.NoSuchPayment.class);
    }

    @Test
    void a_refund_of_a_payment_that_is_still_being_charged_waits_for_it() {
        String id = books.accept("order-1");
        var charge = books.takeWork();
        books.refund(id, OptionalLong.empty(), "");
        process.handle(books.takeWork().getFirst());
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.PARKED);
        charge.forEach(process::handle);
        process.drain();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.refunds.given).hasSize(1);
    }

    @Test
    void a_refund_whose_payment_is_declined_meanwhile_is_declined_too() {
        psp.then(FakePsp.DECLINE);
        String id = books.accept("order-1");
        var charge = books.takeWork();
        books.refund(id, OptionalLong.empty(), "");
        charge.forEach(process::handle);
        process.drain();
        assertThat(books.operation(refundOf(id)).failureCause()).contains("payment_not_captured");
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.DECLINED);
        assertThat(psp.refunds.calls).isEmpty();
    }

    @Test
    void a_refund_of_a_dead_payment_waits_for_a_merge_and_is_then_paid() {
        String id = dead();
        assertThat(books.refund(id, OptionalLong.empty(), "")).isInstanceOfSatisfying(Answer.Accepted.class,
                accepted -> assertThat(accepted.isNew()).isTrue());
        handleOnce();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.PARKED);
        books.merge(id);
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
        assertThat(psp.refunds.given).hasSize(1);
    }

    @Test
    void a_refund_whose_payment_dies_meanwhile_waits_and_its_deadline_ends_the_wait() {
        psp.then(REFUSED);
        String id = books.accept("order-1");
        var charge = books.takeWork();
        books.refund(id, OptionalLong.empty(), "");
        var refund = books.takeWork();
        charge.forEach(process::handle);
        process.drain();
        refund.forEach(process::handle);
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.PARKED);
        books.execute(
                "UPDATE operation_state SET charge_before = now() WHERE operation_id IN (SELECT operation_id FROM operation WHERE "
                        + "kind = 'refund')");
        handleOnce();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.DEAD);
        assertThat(books.operation(refundOf(id)).failureCause()).contains("expired");
    }

    @Test
    void a_refund_of_a_purged_payment_waits_while_that_can_be_restored_and_is_refused_when_not() {
        String id = dead();
        books.execute("UPDATE operation_state SET state = 'purged'");
        assertThat(books.refund(id, OptionalLong.empty(), "")).isInstanceOf(Answer.Accepted.class);
        handleOnce();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.PARKED);
        books.execute("UPDATE operation_state SET settled_at = now() WHERE operation_id IN (SELECT payment_id FROM operation)");
        process.drain();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.DECLINED);
        assertThat(books.refund(id, OptionalLong.empty(), "another")).isInstanceOf(Answer.NotCaptured.class);
    }

    /** The PSP refuses such a request although it is well: the payment is dead at once. */
    private static final FakePsp.Behaviour REFUSED = (fake, charge) -> new Outcome.Failed(FailureCause.REQUEST_REFUSED, "no such method");

    private String dead() {
        psp.then(REFUSED);
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DEAD);
        return id;
    }

    private void handleOnce() {
        for (var record : books.takeWork()) {
            Waiting.until(() -> process.handle(record) instanceof io.chargeonce.kafka.loop.Verdict.Done);
        }
    }

    @Test
    void a_refund_goes_through_the_tiers_like_a_charge_and_to_no_other_psp() {
        String id = charged();
        var failed = new Outcome.Failed(FailureCause.PSP_UNWELL, "500");
        psp.refunds.then(failed, failed, failed, failed);
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.DEAD);
        assertThat(books.count("FROM dead_letter WHERE dead_letter_id = '" + refundOf(id) + "' AND state = 'dead'")).isEqualTo(1);
        assertThat(psp.refunds.calls).hasSize(4);
        assertThat(other.refunds.calls).isEmpty();
        // It may still be merged, so its amount stays reserved.
        assertThat(books.refund(id, OptionalLong.of(1), "line-1")).isInstanceOf(Answer.TooMuch.class);
    }

    @Test
    void a_dead_refund_that_is_merged_is_paid_once_and_to_where_the_money_was_captured() {
        String id = charged();
        var failed = new Outcome.Failed(FailureCause.PSP_UNWELL, "500");
        psp.refunds.then(failed, failed, failed, failed);
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        books.merge(refundOf(id));
        var work = books.takeWork();
        process.handle(work.getFirst());
        process.handle(work.getFirst());
        process.drain();

        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(refundOf(id)).generation()).isEqualTo(2);
        assertThat(psp.refunds.given).singleElement()
                .satisfies(refund -> assertThat(refund.capture()).isEqualTo("ref-" + psp.captures.getFirst().key()));
        assertThat(psp.refunds.calls).hasSize(5).extracting(refund -> refund.key()).doesNotHaveDuplicates();
        assertThat(psp.captures).hasSize(1);
        assertThat(other.refunds.calls).isEmpty();
        assertThat(books.refunded(id)).isEqualTo(1299);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void an_unknown_refund_is_found_out_and_paid_once() {
        String id = charged();
        psp.refunds.then(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
        psp.refunds.answersStatusQueries = false;
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        assertThat(books.state(refundOf(id))).isEqualTo(OperationState.UNRESOLVED);
        psp.refunds.answersStatusQueries = true;
        Waiting.until(() -> process.resolver.runOnce() > 0 && books.state(refundOf(id)) == OperationState.SUCCEEDED);
        assertThat(psp.refunds.given).hasSize(1);
    }

    @Test
    void the_database_refuses_a_second_open_attempt_at_a_refund() {
        String id = charged();
        psp.refunds.then(new Outcome.Unknown(UnknownCause.GATEWAY_TIMED_OUT, "no answer", Optional.empty()));
        psp.refunds.answersStatusQueries = false;
        books.refund(id, OptionalLong.empty(), "");
        process.drain();
        books.rewrite("UPDATE operation_state SET state = 'accepted', resolve_at = NULL, lease_token = NULL "
                + "WHERE operation_id IN (SELECT operation_id FROM operation WHERE kind = 'refund')");
        books.execute("UPDATE operation_state SET staged_at = now()");
        var again = io.chargeonce.ledger.Staging.work(books.topics, books.operation(refundOf(id)));
        process.handle(new org.apache.kafka.clients.consumer.ConsumerRecord<>(books.topics.requests(), 0, 9L,
                refundOf(id).getBytes(), again.value().orElseThrow()));
        assertThat(psp.refunds.calls).hasSize(1);
        assertThat(books.count("FROM payment_attempt WHERE operation = 'refund'")).isEqualTo(1);
    }
}
