// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Notice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each state of an operation, each late answer about its first attempt, from each source: always recorded, never lost. */
class EveryLateAnswerTest {

    private static final Money MONEY = new Money(1299, "EUR");

    /** The operation's state, what is known about its first attempt, and about a second one if it has one. */
    enum Situation {
        ACCEPTED_AGAIN("accepted", "failed_definite", ""),
        SCHEDULED("scheduled", "failed_definite", ""),
        PARKED("parked", "failed_definite", ""),
        PROCESSING("processing", "in_flight", ""),
        PROCESSING_ANOTHER("processing", "failed_definite", "in_flight"),
        UNRESOLVED("unresolved", "unknown", ""),
        UNRESOLVED_ANOTHER("unresolved", "failed_definite", "unknown"),
        SUCCEEDED("succeeded", "succeeded", ""),
        SUCCEEDED_BY_ANOTHER("succeeded", "failed_definite", "succeeded"),
        DECLINED("declined", "failed_definite", ""),
        DEAD("dead", "failed_definite", ""),
        DEAD_RESTORED("dead", "unknown", ""),
        DEAD_RESTORED_WITH_ANOTHER("dead", "failed_definite", "unknown"),
        PURGED("purged", "failed_definite", ""),
        PURGED_UNRESOLVED("purged", "unknown", ""),
        PURGED_UNRESOLVED_ANOTHER("purged", "failed_definite", "unknown"),
        PURGED_FOR_GOOD("purged", "failed_definite", ""),
        PURGED_FOR_GOOD_UNRESOLVED("purged", "unknown", ""),
        PURGED_FOR_GOOD_UNRESOLVED_ANOTHER("purged", "failed_definite", "unknown");

        private final String operation;
        private final String first;
        private final String second;

        Situation(String operation, String first, String second) {
            this.operation = operation;
            this.first = first;
            this.second = second;
        }

        boolean isOpen() {
            return first.equals("unknown") || first.equals("in_flight");
        }

        boolean hasAnotherOpen() {
            return second.equals("unknown") || second.equals("in_flight");
        }

        boolean isWatched() {
            return operation.equals("processing") || operation.equals("unresolved")
                    || name().contains("PURGED") && (isOpen() || hasAnotherOpen());
        }
    }

    enum Answer {
        SUCCESS(new Outcome.Charged("late-reference")),
        DECLINE(new Outcome.Declined("lost_card", "no", Optional.empty())),
        FAILURE(new Outcome.Failed(FailureCause.PSP_UNWELL, "500")),
        UNKNOWN(new Outcome.Unknown(UnknownCause.CONNECTION_LOST, "no answer", Optional.empty()));

        private final Outcome outcome;

        Answer(Outcome outcome) {
            this.outcome = outcome;
        }
    }

    /** @param otherMoved whether the second attempt turns out to have moved money too, where it is open */
    record Case(String kind, Situation situation, Answer answer, String source, boolean otherMoved) {

        @Override
        public String toString() {
            return "%s, %s, %s by %s%s".formatted(kind, situation, answer, source, otherMoved ? ", the other one moved money too" : "");
        }
    }

    private static final FakePsp psp = new FakePsp();
    private static EngineFixture books;
    private static EngineFixture.Process process;
    private static int payments;
    /** Another one for each case: emptying the tables takes longer than the case. */
    private final String payment = PaymentId.derive("acme", new IdempotencyKey("order-" + ++payments)).value();

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
        process = books.process(psp);
    }

    @AfterAll
    static void close() throws Exception {
        books.close();
    }

    static Stream<Case> cases() {
        var cases = new ArrayList<Case>();
        for (String kind : List.of("charge", "refund")) {
            for (Situation situation : Situation.values()) {
                for (Answer answer : Answer.values()) {
                    for (String source : List.of("call", "query", "webhook")) {
                        cases.add(new Case(kind, situation, answer, source, false));
                        if (situation.hasAnotherOpen()) {
                            cases.add(new Case(kind, situation, answer, source, true));
                        }
                    }
                }
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void late_truth_is_always_recorded_and_the_money_agrees_with_it(Case one) {
        String id = build(one);
        int stepBefore = books.operation(id).step();
        deliver(one, id);
        assertThat(books.count("FROM psp_answer WHERE psp_key = '%s' AND source = '%s'".formatted(key(one, 1), one.source()))).isEqualTo(1);

        Outcome found =
                one.otherMoved() ? new Outcome.Charged("reference-2") : new Outcome.Failed(FailureCause.CANCELLED_UNEXECUTED, "cancelled");
        psp.answer = Optional.of(found);
        psp.refunds.answer = Optional.of(found);
        if (books.operation(id).isWatched()) {
            books.execute("UPDATE operation_state SET resolve_at = now() WHERE operation_id = '" + id + "'");
            Waiting.until(() -> process.resolver.runOnce() == 1);
        }
        Operation now = books.operation(id);
        if (one.answer() == Answer.SUCCESS) {
            moved(one, id, now, stepBefore);
        } else {
            didNotMove(one, id, now, stepBefore);
        }
    }

    private void moved(Case one, String id, Operation now, int stepBefore) {
        assertThat(now.state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM payment_attempt WHERE psp_key = '%s' AND state = 'succeeded'".formatted(key(one, 1)))).isEqualTo(1);
        long moved = books.count("FROM payment_attempt WHERE operation_id = '%s' AND state = 'succeeded'".formatted(id));
        assertThat(books.count("FROM operation WHERE kind = 'reversal' AND payment_id = '" + payment + "'"))
                .isEqualTo(one.kind().equals("charge") ? moved - 1 : 0);
        assertThat(incidents(id, one.kind().equals("charge") ? "captured_twice" : "given_back_twice")).isEqualTo(moved - 1);
        assertThat(books.count("FROM dead_letter WHERE state IN ('dead', 'purged') AND payment_id = '" + payment + "'")).isZero();
        if (one.situation().name().startsWith("SUCCEEDED")) {
            assertThat(now.step()).isEqualTo(stepBefore);
        } else {
            assertThat(now.step()).isGreaterThan(stepBefore);
            assertThat(books.count("FROM outbox WHERE topic = '%s' AND record_key = '%s'".formatted(books.topics.outcomes(), id)))
                    .isEqualTo(1);
        }
        assertThat(incidents(id, "succeeded_after_purge")).isEqualTo(one.situation().operation.equals("purged") ? 1 : 0);
        assertThat(incidents(id, "succeeded_after_decline")).isEqualTo(one.situation() == Situation.DECLINED ? 1 : 0);
    }

    private void didNotMove(Case one, String id, Operation now, int stepBefore) {
        boolean decides = one.situation().isOpen() && one.answer() != Answer.UNKNOWN;
        if (decides) {
            assertThat(books.count("FROM payment_attempt WHERE psp_key = '%s' AND state = 'failed_definite'".formatted(key(one, 1))))
                    .isEqualTo(1);
        }
        boolean staysPurged = one.situation().operation.equals("purged") && !one.otherMoved();
        if (!one.situation().isWatched() || staysPurged) {
            assertThat(now.isWatched()).isFalse();
            assertThat(now.state().tag()).isEqualTo(one.situation().operation);
            assertThat(now.step()).isEqualTo(stepBefore);
        } else if (one.situation().isOpen()) {
            assertThat(now.state()).isEqualTo(one.answer() == Answer.DECLINE ? OperationState.DECLINED : OperationState.SCHEDULED);
        } else {
            assertThat(now.state()).isEqualTo(one.otherMoved() ? OperationState.SUCCEEDED : OperationState.SCHEDULED);
        }
        assertThat(books.count("FROM operation WHERE kind = 'reversal' AND payment_id = '" + payment + "'")).isZero();
    }

    private static long incidents(String id, String what) {
        return books.count("FROM audit_record WHERE resource_id = '%s' AND action = 'incident.%s'".formatted(id, what));
    }

    private void deliver(Case one, String id) {
        PspKey key = key(one, 1);
        if (!one.source().equals("webhook")) {
            process.resolutions.resolve(new OutcomeRecorder.Resolution(books.operation(id).accepted(), UUID.randomUUID(), key, one.source(),
                    one.answer().outcome,
                    false,
                    Optional.empty(), Optional.empty()));
            return;
        }
        // With another amount it is not trusted, and so unknown.
        Money money = one.answer() == Answer.UNKNOWN ? new Money(1, "EUR") : MONEY;
        psp.tells = List.of(new Notice("notice-" + payments, key, Optional.of("late-reference"),
                Optional.of(new Notice.Ended(Optional.of(money), one.kind().equals("refund"), one.answer().outcome))));
        assertThat(process.inbox.take("fake", header -> Optional.of("signed"), new byte[0])).isEqualTo(WebhookInbox.Taken.YES);
    }

    private PspKey key(Case one, int sequence) {
        return PspKey.derive(new PaymentId(payment), one.kind(), "", "fake", sequence);
    }

    private String build(Case one) {
        Situation situation = one.situation();
        boolean isCharge = one.kind().equals("charge");
        String id = isCharge ? payment : "payment-" + payment + "-refund";
        if (!isCharge) {
            operation(payment, "charge", "succeeded", 1, true, false);
        }
        boolean hasSecond = !situation.second.isEmpty();
        boolean isSettled =
                situation.name().startsWith("PURGED_FOR_GOOD") || Arrays.asList("succeeded", "declined").contains(situation.operation);
        operation(id, one.kind(), situation.operation, hasSecond ? 2 : 1, isSettled, situation.isWatched());
        attempt(one, id, 1, situation.first);
        if (hasSecond) {
            attempt(one, id, 2, situation.second);
        }
        if (situation.operation.equals("dead") || situation.operation.equals("purged") || situation.operation.equals("unresolved")) {
            books.execute("""
                    INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state, cause,
                        message, generation)
                    VALUES ('%s', '%1$s', '%s', 'acme', 1299, 'EUR', 'fake', '%s', 'a_cause', 'a message', 1)"""
                    .formatted(id, payment, situation.operation.equals("purged") ? "purged" : "dead"));
        }
        return id;
    }

    private void operation(String id, String kind, String state, int sequence, boolean isSettled, boolean isWatched) {
        books.execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                    charge_within_s)
                VALUES ('%s', '%s', '%s', 'acme', 'key', 1299, 'EUR', 'pm_card_visa', 86400)""".formatted(id, payment, kind));
        books.rewrite("""
                UPDATE operation_state
                   SET (state, step, sequence, psp, psp_reference, capture_psp, capture_reference, settled_at, lease_token, resolve_at,
                       unresolved_since)
                     = ('%2$s', 7, %3$d, 'fake', 'reference-%3$d', %4$s, %5$s, %6$s, %7$s)
                 WHERE operation_id = '%1$s'"""
                .formatted(id, state, sequence, kind.equals("refund") ? "'fake', 'reference-1'" : "NULL, NULL",
                        isSettled ? "now()" : "NULL",
                        isWatched ? "gen_random_uuid(), now() + interval '1 hour'" : "NULL, NULL",
                        state.equals("unresolved") || state.equals("purged") && isWatched ? "now() - interval '1 hour'" : "NULL"));
    }

    private void attempt(Case one, String id, int sequence, String state) {
        books.execute(
                """
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, generation, sequence, psp, state,
                    failed_definite,
                                             request, request_sha256, sent_at, key_valid_until, psp_reference)
                VALUES ('%s', '%s', '%s', '%s', 1, %d, 'fake', '%s', %s, 'x', sha256('x'), now() - interval '1 hour',
                    now() + interval '1 day', %s)"""
                        .formatted(key(one, sequence), id, payment, one.kind(), sequence, state, state.equals("failed_definite"),
                                !state.equals("succeeded") ? "NULL" : sequence == 1 ? "'late-reference'" : "'reference-" + sequence + "'"));
    }
}
