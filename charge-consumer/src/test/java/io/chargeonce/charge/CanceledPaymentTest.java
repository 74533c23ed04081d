// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.due.Cancellations;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A merchant or a person cancels a payment: in any state, and at the same time as a claim. */
class CanceledPaymentTest {

    private static final int RACES = 40;

    private static EngineFixture books;
    private final FakePsp psp = new FakePsp();
    private EngineFixture.Process process;

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    @BeforeEach
    void begin() {
        process = books.forget().process(psp);
    }

    /** A merchant that finds its payment locked requests the cancel again. */
    private static String cancel(String id) {
        while (true) {
            try {
                return books.text("SELECT status FROM cancel_payment('acme', '" + id + "')");
            } catch (DatabaseRefused locked) {
                assertThat(locked.isPassing()).as(locked.getMessage()).isTrue();
            }
        }
    }

    private static int publish() {
        return new Cancellations(books.charging, books.topics, () -> {}).runOnce();
    }

    private static long audited(String id, String action) {
        return books.count("FROM audit_record WHERE resource_id = '%s' AND action = '%s'".formatted(id, action));
    }

    private static long outcomes(String id, String status) {
        return books.count("FROM outbox WHERE topic = '%s' AND record_key = '%s' AND convert_from(value, 'UTF8')::json ->> 'status' = '%s'"
                .formatted(books.topics.outcomes(), id, status));
    }

    private void queryOnce() {
        Waiting.until(() -> process.resolver.runOnce() == 1);
    }

    private String unresolved() {
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        psp.answersStatusQueries = false;
        String id = books.accept("order-1");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        return id;
    }

    /** With no attempt that may have taken money. */
    private static String standing(OperationState state) {
        String id = books.accept("order-1");
        books.rewrite("UPDATE operation_state SET state = '%s', tier = 1 WHERE operation_id = '%s'".formatted(state.tag(), id));
        if (state == OperationState.DEAD || state == OperationState.PURGED) {
            books.execute("""
                    INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, state, cause,
                        message, generation)
                    VALUES ('%s', '%1$s', '%1$s', 'acme', 1299, 'EUR', '%s', 'a_cause', 'a message', 1)""".formatted(id, state.tag()));
        }
        return id;
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCEPTED", "SCHEDULED", "PARKED", "DEAD", "PURGED"})
    void what_has_no_open_attempt_is_canceled_at_once_and_published_once(OperationState state) {
        String id = standing(state);
        int step = books.operation(id).step();
        assertThat(cancel(id)).isEqualTo("canceled");
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(books.operation(id).step()).isEqualTo(step + 1);
        assertThat(publish()).isEqualTo(1);
        assertThat(publish()).isZero();
        assertThat(books.operation(id).settledAt()).isPresent();
        assertThat(outcomes(id, "canceled")).isEqualTo(1);
        assertThat(books.count("FROM dead_letter WHERE state IN ('dead', 'purged')")).isZero();
        books.takeWork().forEach(process::handle);
        assertThat(psp.calls).isEmpty();
    }

    @Test
    void a_presentation_is_canceled_too() {
        String id = standing(OperationState.SCHEDULED);
        books.rewrite("UPDATE operation_state SET tier = 0, represent_at = now() + interval '1 day' WHERE operation_id = '" + id + "'");
        assertThat(cancel(id)).isEqualTo("canceled");
        assertThat(books.operation(id).representAt()).isEmpty();
        assertThat(publish()).isEqualTo(1);
    }

    @Test
    void a_record_that_was_staged_before_is_superseded() {
        String id = books.accept("order-1");
        List<ConsumerRecord<byte[], byte[]>> work = books.takeWork();
        assertThat(cancel(id)).isEqualTo("canceled");
        work.forEach(process::handle);
        assertThat(psp.calls).isEmpty();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
    }

    @Test
    void after_a_claim_it_is_only_requested_and_money_that_moved_stays() {
        String id = books.accept("order-1");
        psp.then((fake, charge) -> {
            assertThat(cancel(id)).isEqualTo("canceling");
            assertThat(cancel(id)).as("a repeat").isEqualTo("canceling");
            return fake.capture(charge);
        });
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(audited(id, "cancel-too-late")).isEqualTo(1);
        assertThat(outcomes(id, "succeeded")).isEqualTo(1);
        assertThat(cancel(id)).isEqualTo("succeeded");
    }

    @Test
    void after_a_claim_that_failed_there_is_no_new_attempt_here_or_elsewhere() {
        var other = new FakePsp("other");
        EngineFixture.Process both = books.process(psp, other);
        String id = books.accept("order-1");
        FakePsp.Behaviour canceled = (fake, charge) -> {
            cancel(id);
            return FakePsp.FAIL.charge(fake, charge);
        };
        psp.then(canceled);
        other.then(canceled);
        both.drain();
        assertThat(psp.calls.size() + other.calls.size()).isEqualTo(1);
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(outcomes(id, "canceled")).isEqualTo(1);
        assertThat(publish()).as("it was published when it was decided").isZero();
    }

    @Test
    void a_decline_after_the_request_is_canceled_and_never_presented_again() {
        String id = books.accept("order-1");
        books.execute("INSERT INTO merchant (merchant_id, represent_declines) VALUES ('acme', true)");
        psp.then((fake, charge) -> {
            cancel(id);
            return FakePsp.DECLINE.charge(fake, charge);
        });
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(books.operation(id).representAt()).isEmpty();
    }

    @Test
    void what_is_unresolved_is_queried_now_and_canceled_if_it_failed() {
        String id = unresolved();
        books.execute("UPDATE operation_state SET resolve_at = now() + interval '1 hour'");
        assertThat(process.resolver.runOnce()).isZero();
        assertThat(cancel(id)).isEqualTo("canceling");
        psp.answersStatusQueries = true;
        queryOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(outcomes(id, "canceled")).isEqualTo(1);
        assertThat(books.takeWork()).isEmpty();
    }

    @Test
    void what_is_unresolved_and_turns_out_captured_stays_charged() {
        String id = unresolved();
        cancel(id);
        psp.answer = Optional.of(new Outcome.Charged("reference"));
        queryOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(audited(id, "cancel-too-late")).isEqualTo(1);
        assertThat(books.count("FROM operation WHERE kind = 'reversal'")).isZero();
    }

    @Test
    void while_its_outcome_is_unknown_it_stays_to_be_canceled_and_in_the_queue_for_people() {
        psp.then(FakePsp.TIME_OUT_UNEXECUTED);
        String id = books.listedAsUnresolved(process, psp);
        assertThat(cancel(id)).isEqualTo("canceling");
        queryOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isEqualTo(1);
        psp.answer = Optional.of(new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled"));
        queryOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(books.count("FROM dead_letter WHERE state = 'dead'")).isZero();
    }

    @Test
    void a_dead_payment_whose_attempt_may_have_taken_the_money_is_queried() {
        String id = unresolved();
        books.rewrite("UPDATE operation_state SET state = 'dead', resolve_at = NULL, lease_token = NULL WHERE operation_id = '" + id + "'");
        assertThat(cancel(id)).isEqualTo("canceling");
        psp.answersStatusQueries = true;
        queryOnce();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
    }

    @Test
    void no_status_query_after_a_cancel_may_execute_the_attempt() {
        String id = unresolved();
        books.execute("UPDATE payment_attempt SET sends = 1");
        cancel(id);
        psp.answer = Optional.of(new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "look in the Customer Area", Optional.empty()));
        queryOnce();
        assertThat(psp.queries.getLast().mayBeSent()).isFalse();
        assertThat(psp.queries.getLast().recalled()).isTrue();
        assertThat(books.count("FROM payment_attempt WHERE sends > 1")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_status_query_that_was_claimed_before_the_cancel_sends_only_what_moves_no_money(boolean movesNone) {
        String id = unresolved();
        cancel(id);
        Set<PspKey> counted = books.database.inTransaction(connection -> AttemptTable.countSends(connection,
                List.of(new AttemptTable.Send(books.operation(id).attemptKey(), movesNone))));
        assertThat(counted).hasSize(movesNone ? 1 : 0);
    }

    @Test
    void a_psp_whose_status_queries_move_no_money_is_queried_by_sending_too() {
        psp.statusQueryMayExecute = false;
        String id = unresolved();
        cancel(id);
        psp.answersStatusQueries = true;
        queryOnce();
        assertThat(psp.queries.getLast().mayBeSent()).isTrue();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
    }

    @Test
    void money_that_is_captured_later_is_given_back() {
        String id = unresolved();
        cancel(id);
        psp.answersStatusQueries = true;
        queryOnce();
        Operation canceled = books.operation(id);
        for (int i = 0; i < 2; i++) {
            process.resolutions.resolve(
                    new OutcomeRecorder.Resolution(books.operation(id).accepted(), UUID.randomUUID(), canceled.attemptKey(), "call",
                            new Outcome.Charged("late-reference"), false, Optional.empty(), Optional.empty()));
        }
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(psp.refunds.given).hasSize(1);
        assertThat(books.count("FROM operation_now WHERE kind = 'reversal' AND state = 'succeeded' AND amount = 1299")).isEqualTo(1);
        assertThat(audited(id, "incident.captured_after_cancel")).isEqualTo(1);
        assertThat(outcomes(id, "canceled")).isEqualTo(1);
    }

    @Test
    void a_canceled_payment_cannot_be_refunded_and_a_refund_that_waited_ends() {
        String id = books.accept("order-1");
        assertThat(books.refund(id, OptionalLong.of(100), "a")).isInstanceOf(Refunds.Answer.Accepted.class);
        cancel(id);
        publish();
        assertThat(books.refund(id, OptionalLong.of(100), "b"))
                .isEqualTo(new Refunds.Answer.NotCaptured(OperationState.CANCELED));
        process.drain();
        assertThat(books.count("FROM operation_now WHERE kind = 'refund' AND state = 'declined'")).isEqualTo(1);
        assertThat(psp.refunds.given).isEmpty();
    }

    @Test
    void only_a_payment_and_only_its_merchants_own_is_canceled() {
        String id = books.accept("order-1");
        books.refund(id, OptionalLong.empty(), "");
        assertThat(books.text("SELECT status FROM cancel_payment('another', '" + id + "')")).isNull();
        assertThat(cancel("payment-" + id + "-refund")).isNull();
        assertThat(cancel("pay_unknown")).isNull();
        assertThat(books.state(id)).isEqualTo(OperationState.ACCEPTED);
    }

    @Test
    void nothing_leads_out_of_a_cancel() {
        String id = standing(OperationState.DEAD);
        cancel(id);
        assertThat(cancel(id)).isEqualTo("canceled");
        assertThat(books.text("SELECT is_new FROM cancel_payment('acme', '" + id + "')")).isEqualTo("f");
        assertThat(OperationState.CANCELED.next()).isEmpty();
    }

    @Test
    void of_a_cancel_and_a_claim_at_once_the_first_lock_wins() throws Exception {
        var answers = new ArrayList<Future<String>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < RACES; i++) {
                String id = books.accept("order-" + i);
                List<ConsumerRecord<byte[], byte[]>> work = books.takeWork(id);
                var start = new CyclicBarrier(2);
                answers.add(threads.submit(() -> {
                    start.await();
                    return cancel(id);
                }));
                threads.submit(() -> {
                    start.await();
                    return process.handle(work.getFirst());
                }).get();
                answers.getLast().get();
            }
        }
        publish();
        process.drain();
        for (int i = 0; i < RACES; i++) {
            String id = books.text("SELECT operation_id FROM operation WHERE idempotency_key = 'order-" + i + "'");
            String answer = answers.get(i).get();
            boolean charged = psp.captures.stream().anyMatch(charge -> charge.payment().value().equals(id));
            assertThat(books.state(id)).as(answer).isEqualTo(charged ? OperationState.SUCCEEDED : OperationState.CANCELED);
            assertThat(charged).as(answer).isEqualTo(!answer.equals("canceled"));
            assertThat(outcomes(id, "canceled") + outcomes(id, "succeeded")).isEqualTo(1);
        }
    }
}
