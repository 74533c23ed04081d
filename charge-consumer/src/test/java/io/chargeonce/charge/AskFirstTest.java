// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.charge.due.Cancellations;
import io.chargeonce.charge.due.DueRepresentments;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.Traces;
import io.chargeonce.psp.Traces.Standing;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.settlement.BookedLine;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.settlement.SettlementLines;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A payment was charged, its database was restored to a time before that, and its producer sends it again. */
class AskFirstTest {

    private static final String ORDER_1 = PaymentId.derive("acme", new IdempotencyKey("order-1")).value();

    private static EngineFixture lost;
    private static EngineFixture restored;
    private static StripeSimulator stripe;
    private final FakePsp first = new FakePsp("first").showing();
    private final FakePsp second = new FakePsp("second").showing();
    /** As Adyen, it cannot be asked about a payment. */
    private final FakePsp mute = new FakePsp("mute");

    @BeforeAll
    static void open() {
        lost = new EngineFixture();
        restored = new EngineFixture();
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory().searchLag(Duration.ZERO));
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        lost.close();
        restored.close();
    }

    @BeforeEach
    void forget() {
        lost.forget();
        restored.forget().askFirstUntil = Optional.of(Instant.now().plus(Duration.ofHours(1)));
        restored.compared = Set.of();
        mute.canBeAsked = false;
        mute.answer = Optional.of(new Outcome.Unknown(UnknownCause.CANNOT_BE_ASKED, "it answers to keys only", Optional.empty()));
    }

    @Test
    void a_capture_under_a_later_attempts_key_settles_the_payment_and_nothing_is_charged() {
        first.then(FakePsp.FAIL);
        String id = chargedInTheLostLife(first);
        restored.process(first).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.captures).hasSize(1);
        assertThat(restored.operation(id).sequence()).isEqualTo(2);
        assertThat(restored.count("FROM outbox WHERE topic = '" + restored.topics.outcomes() + "'")).isEqualTo(1);
    }

    @Test
    void a_capture_at_another_psp_settles_the_payment() {
        first.then(FakePsp.REFUSE_CONNECTION);
        String id = chargedInTheLostLife(first, second);
        restored.process(first, second).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(restored.operation(id).psp()).contains("second");
        assertThat(first.captures.size() + second.captures.size()).isEqualTo(1);
    }

    /** Its attempt at the first PSP timed out. Says is what the second shows of it. */
    private EngineFixture.Process unresolvedAtTheFirst(AtomicReference<Traces> says) {
        first.lookup = Optional.of(new FakePsp.Looking(payment -> new Traces.Found(List.of())));
        second.lookup = Optional.of(new FakePsp.Looking(payment -> says.get()));
        second.answer = Optional.of(new Outcome.Charged("pi_2"));
        first.then(FakePsp.TIME_OUT_UNEXECUTED);
        first.answersStatusQueries = false;
        restored.accept("order-1");
        EngineFixture.Process process = restored.process(first, second);
        process.drain();
        return process;
    }

    private static Traces capturedAtTheSecond() {
        PspKey later = PspKey.derive(new PaymentId(ORDER_1), "charge", "", "second", 2);
        return new Traces.Found(List.of(new Traces.Trace("second", Optional.of(later), "pi_2", Standing.CAPTURED, true, Instant.now())));
    }

    private static void takeOneStaged(EngineFixture.Process process) {
        new DueRepresentments(restored.charging, restored.topics, () -> {}).runOnce();
        restored.takeWork().forEach(process::handle);
    }

    /** A cancel, and an end by a decline, are staged as a presentation is. */
    private static void takeStaged(EngineFixture.Process process) {
        new DueRepresentments(restored.charging, restored.topics, () -> {}).runOnce();
        process.drain();
    }

    private static String cancel(String id) {
        return restored.text("SELECT status FROM cancel_payment('acme', '" + id + "')");
    }

    @Test
    void a_cancel_of_what_was_charged_in_the_lost_time_comes_too_late() {
        String id = chargedInTheLostLife(first);
        EngineFixture.Process process = restored.process(first);
        process.newsroom.runOnce();
        assertThat(cancel(id)).isEqualTo("canceling");
        assertThat(cancel(id)).as("a repeat").isEqualTo("canceling");
        takeStaged(process);
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.captures).hasSize(1);
        assertThat(restored.count("FROM audit_record WHERE action = 'cancel-too-late'")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCEPTED", "SCHEDULED", "PARKED", "DEAD", "PURGED"})
    void a_cancel_of_what_no_psp_has_is_final_after_they_were_queried_and_nothing_is_charged(OperationState state) {
        var says = new AtomicReference<Traces>(new Traces.NoAnswer("first does not say"));
        first.lookup = Optional.of(new FakePsp.Looking(payment -> says.get()));
        EngineFixture.Process process = restored.process(first);
        process.newsroom.runOnce();
        String id = restored.accept("order-1");
        restored.rewrite("UPDATE operation_state SET state = '%s', charge_before = now() - interval '1 hour'".formatted(state.tag()));
        restored.execute("""
                INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, state, cause, message,
                    generation)
                SELECT operation_id, operation_id, operation_id, 'acme', 1299, 'EUR', state, 'a_cause', 'a message', 1
                  FROM operation_state WHERE state IN ('dead', 'purged')""");
        assertThat(cancel(id)).isEqualTo("canceling");
        assertThat(new Cancellations(restored.charging, restored.topics, () -> {}).runOnce()).isZero();
        takeOneStaged(process);
        assertThat(restored.operation(id).failureCause()).contains("psp_not_queried");
        assertThat(restored.operation(id).isCanceling()).isTrue();
        says.set(new Traces.Found(List.of()));
        process.drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.CANCELED);
        assertThat(restored.count("FROM dead_letter WHERE state IN ('dead', 'purged')")).isZero();
        assertThat(restored.count("FROM outbox WHERE topic = '" + restored.topics.outcomes() + "'")).isEqualTo(1);
        assertThat(first.calls).isEmpty();
    }

    @Test
    void a_cancel_after_a_failed_attempt_is_not_final_before_the_other_psps_were_queried() {
        var says = new AtomicReference<Traces>(new Traces.Found(List.of()));
        EngineFixture.Process process = unresolvedAtTheFirst(says);
        assertThat(cancel(ORDER_1)).isEqualTo("canceling");
        says.set(capturedAtTheSecond());
        first.answersStatusQueries = true;
        Waiting.until(() -> process.resolver.runOnce() == 1);
        takeStaged(process);
        assertThat(restored.state(ORDER_1)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(restored.operation(ORDER_1).psp()).contains("second");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_decline_that_a_status_query_learns_is_not_final_before_the_other_psps_were_queried(boolean captured) {
        var says = new AtomicReference<Traces>(new Traces.Found(List.of()));
        EngineFixture.Process process = unresolvedAtTheFirst(says);
        says.set(new Traces.NoAnswer("second does not say"));
        first.answer = Optional.of(new Outcome.Declined("stolen_card", "no", Optional.empty()));
        first.answersStatusQueries = true;
        Waiting.until(() -> process.resolver.runOnce() == 1);
        takeOneStaged(process);
        assertThat(restored.state(ORDER_1)).isEqualTo(OperationState.PARKED);
        assertThat(restored.operation(ORDER_1).failureCause()).contains("decline_unverified");
        says.set(captured ? capturedAtTheSecond() : new Traces.Found(List.of()));
        process.drain();
        assertThat(restored.state(ORDER_1)).isEqualTo(captured ? OperationState.SUCCEEDED : OperationState.DECLINED);
        assertThat(restored.operation(ORDER_1).psp()).contains(captured ? "second" : "first");
        assertThat(restored.count("FROM outbox WHERE topic = '" + restored.topics.outcomes() + "'")).isEqualTo(1);
    }

    @Test
    void a_decline_of_an_attempt_that_was_found_is_not_final_while_another_psp_cannot_be_queried() {
        PspKey lostKey = PspKey.derive(new PaymentId(ORDER_1), "charge", "", "first", 1);
        first.lookup = Optional.of(new FakePsp.Looking(payment -> new Traces.Found(List.of(
                new Traces.Trace("first", Optional.of(lostKey), "pi_1", Standing.DECLINED, true, Instant.now())))));
        first.answer = Optional.of(new Outcome.Declined("stolen_card", "no", Optional.of("pi_1")));
        String id = restored.accept("order-1");
        EngineFixture.Process process = restored.process(first, mute);
        process.handle(restored.takeWork().getFirst());
        takeOneStaged(process);
        assertThat(restored.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(restored.operation(id).failureCause()).contains("decline_unverified");
        restored.compared = Set.of("mute");
        restored.process(first, mute).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(first.captures.size() + mute.captures.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void what_is_past_its_deadline_is_queried_before_it_dies(boolean captured) {
        String id = captured ? chargedInTheLostLife(first) : restored.accept("order-1");
        restored.rewrite("UPDATE operation_state SET charge_before = now() - interval '1 hour'");
        restored.process(first).drain();
        assertThat(restored.state(id)).isEqualTo(captured ? OperationState.SUCCEEDED : OperationState.DEAD);
        assertThat(restored.operation(id).failureCause()).isEqualTo(captured ? Optional.empty() : Optional.of("expired"));
        assertThat(first.captures).hasSize(captured ? 1 : 0);
    }

    @Test
    void what_its_key_paid_for_long_before_is_another_payments() {
        String id = chargedInTheLostLife(at(stripe));
        booked(EngineFixture.SETTLEMENT_KEYS, "charge", BookedLine.Moved.CAPTURED);
        restored.compared = Set.of("mute");
        restored.rewrite("UPDATE operation SET accepted_at = now() + interval '46 days'");
        restored.process(at(stripe), mute).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(found()).isZero();
    }

    @Test
    void while_no_process_charges_a_cancel_is_only_requested() {
        EngineFixture.Process process = restored.process(first);
        process.newsroom.runOnce();
        restored.execute("UPDATE psp_health SET told_at = now() - interval '2 minutes', ask_first_until = NULL");
        assertThat(cancel(restored.accept("order-1"))).isEqualTo("canceling");
    }

    @Test
    void what_only_a_person_can_judge_is_not_canceled() {
        String id = restored.accept("order-1");
        restored.rewrite("UPDATE operation_state SET state = 'dead', failure_cause = 'found_at_psp'");
        assertThat(cancel(id)).isEqualTo("found_at_psp");
        assertThat(restored.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(restored.operation(id).cancelRequestedAt()).isEmpty();
    }

    @Test
    void what_no_psp_knows_is_charged() {
        String id = restored.accept("order-1");
        restored.process(first, second).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.captures).hasSize(1);
    }

    @Test
    void a_payment_waits_uncounted_until_each_psp_has_answered() {
        var says = new AtomicReference<Traces>(new Traces.NoAnswer("second does not say"));
        second.lookup = Optional.of(new FakePsp.Looking(payment -> says.get()));
        String id = restored.accept("order-1");
        EngineFixture.Process process = restored.process(first, second);
        process.handle(restored.takeWork().getFirst());
        assertThat(restored.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(restored.operation(id).failureCause()).contains("psp_not_queried");
        assertThat(restored.operation(id).sequence()).isZero();
        says.set(new Traces.Found(List.of()));
        process.drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void after_a_failure_the_next_psp_is_not_tried_before_all_are_asked_again() {
        first.then(FakePsp.REFUSE_CONNECTION);
        String id = restored.accept("order-1");
        EngineFixture.Process process = restored.process(first, second);
        process.handle(restored.takeWork().getFirst());
        assertThat(second.calls).isEmpty();
        process.drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(restored.operation(id).sequence()).isEqualTo(2);
    }

    @Test
    void a_capture_under_a_key_that_is_no_attempts_is_left_to_people() {
        PspKey strange =
                PspKey.derive(PaymentId.derive("acme", new IdempotencyKey("another")), "charge", "", "first", 1);
        first.lookup = Optional.of(new FakePsp.Looking(payment -> new Traces.Found(List.of(
                new Traces.Trace("first", Optional.of(strange), "pi_1", Standing.CAPTURED, true, Instant.now())))));
        String id = restored.accept("order-1");
        restored.process(first).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(restored.operation(id).failureCause()).contains("found_at_psp");
        assertThat(first.calls).isEmpty();
    }

    @Test
    void until_that_time_nothing_goes_to_a_bank_because_it_cannot_be_asked() {
        var bank = new FakePsp("bank");
        String id = restored.accept("order-1", "mandate_m1");
        restored.process(bank).handle(restored.takeWork().getFirst());
        assertThat(restored.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(restored.operation(id).failureCause()).contains("psp_not_queried");
        assertThat(bank.calls).isEmpty();
    }

    @Test
    void while_a_psp_of_its_routes_cannot_be_asked_a_payment_goes_to_no_other_either() {
        first.then(FakePsp.REFUSE_CONNECTION);
        String id = chargedInTheLostLife(first, mute);
        first.calls.clear();
        restored.process(first, mute).handle(restored.takeWork().getFirst());
        assertThat(restored.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(restored.operation(id).failureCause()).contains("psp_not_queried");
        assertThat(restored.operation(id).sequence()).isZero();
        assertThat(first.calls).isEmpty();
        assertThat(mute.captures).hasSize(1);
    }

    @Test
    void a_capture_that_another_psp_shows_settles_the_payment_though_one_of_its_routes_cannot_be_asked() {
        first.then(FakePsp.FAIL);
        String id = chargedInTheLostLife(first);
        restored.process(first, mute).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(first.captures).hasSize(1);
        assertThat(mute.calls).isEmpty();
    }

    @Test
    void a_payment_whose_routes_lead_to_no_such_psp_is_charged() {
        String id = restored.accept("order-1");
        restored.process(Routes.parse("currency=JPY -> mute; -> first"), mute, first).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    /** A raw token goes only to the first, but under a rule of another order it may have gone to the other one. */
    @ParameterizedTest
    @ValueSource(strings = {"method= -> first,mute", "-> first,mute"})
    void a_psp_of_its_routes_that_is_not_set_up_here_cannot_be_asked(String routes) {
        restored.compared = Set.of("mute");
        String id = restored.accept("order-1");
        restored.process(Routes.parse(routes), first).handle(restored.takeWork().getFirst());
        assertThat(restored.operation(id).failureCause()).contains("psp_not_queried");
        assertThat(first.calls).isEmpty();
    }

    @Test
    void once_a_person_has_compared_its_report_what_the_report_does_not_have_is_charged() {
        restored.compared = Set.of("mute");
        String id = restored.accept("order-1");
        restored.process(mute, first).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(mute.captures).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_its_report_has_is_settled_by_the_report_and_charged_nowhere(boolean compared) {
        first.then(FakePsp.REFUSE_CONNECTION);
        String id = chargedInTheLostLife(first, mute);
        restored.compared = compared ? Set.of("mute") : Set.of();
        booked(EngineFixture.SETTLEMENT_KEYS, "charge", BookedLine.Moved.CAPTURED);
        EngineFixture.Process process = restored.process(first, mute);
        process.drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(process.booked.runOnce()).isEqualTo(1);
        Waiting.until(() -> restored.state(id) == OperationState.SUCCEEDED || process.resolver.runOnce() < 0);
        assertThat(restored.operation(id).pspReference()).contains("psp-ref");
        assertThat(restored.operation(id).sequence()).isEqualTo(2);
        assertThat(first.captures.size() + mute.captures.size()).isEqualTo(1);
    }

    @Test
    void a_forged_line_of_its_report_settles_nothing_and_sends_nothing() {
        String id = restored.accept("order-1");
        booked(SettlementKeys.NONE, "charge", BookedLine.Moved.CAPTURED);
        EngineFixture.Process process = restored.process(first, mute);
        process.drain();
        process.booked.runOnce();
        process.resolver.runOnce();
        assertThat(restored.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(first.calls).isEmpty();
        assertThat(mute.calls).isEmpty();
        assertThat(mute.queries).noneMatch(Charge::mayBeSent);
    }

    /** The second attempt to charge order-1 or to give it back, as a reconciliation with these keys records it. */
    private static void booked(SettlementKeys keys, String kind, BookedLine.Moved moved) {
        PspKey key = PspKey.derive(new PaymentId(ORDER_1), kind, "", "mute", 2);
        restored.database.inTransaction(connection -> SettlementLines.book(connection, "mute", new byte[32], keys,
                List.of(new BookedLine("mute", "line-1", Optional.of(key), moved, new Money(1299, "EUR"),
                        Optional.of("psp-ref"), Instant.now(), 1))));
    }

    @Test
    void a_capture_of_an_attempt_that_its_row_calls_failed_settles_the_payment_and_nothing_is_charged_again() {
        var says = new AtomicReference<Traces>(new Traces.Found(List.of()));
        first.lookup = Optional.of(new FakePsp.Looking(payment -> says.get()));
        first.then(FakePsp.FAIL);
        String id = restored.accept("order-1");
        EngineFixture.Process process = restored.process(first);
        process.handle(restored.takeWork().getFirst());
        assertThat(restored.state(id)).isEqualTo(OperationState.SCHEDULED);
        PspKey failed = PspKey.derive(new PaymentId(ORDER_1), "charge", "", "first", 1);
        says.set(new Traces.Found(List.of(new Traces.Trace("first", Optional.of(failed), "pi_1", Standing.CAPTURED, true, Instant.now()))));
        process.drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(restored.operation(id).sequence()).isEqualTo(1);
        assertThat(first.captures).isEmpty();
    }

    @Test
    void a_capture_of_another_amount_under_a_failed_attempts_key_settles_nothing_and_is_left_to_people() {
        var says = new AtomicReference<Traces>(new Traces.Found(List.of()));
        first.lookup = Optional.of(new FakePsp.Looking(payment -> says.get()));
        first.then(FakePsp.FAIL);
        String id = restored.accept("order-1");
        EngineFixture.Process process = restored.process(first);
        process.handle(restored.takeWork().getFirst());
        PspKey failed = PspKey.derive(new PaymentId(ORDER_1), "charge", "", "first", 1);
        says.set(new Traces.Found(List.of(
                new Traces.Trace("first", Optional.of(failed), "pi_1", Standing.CAPTURED, false, Instant.now()))));
        process.drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.DEAD);
        assertThat(restored.operation(id).failureCause()).contains("found_at_psp");
        assertThat(first.calls).hasSize(1);
    }

    @Test
    void a_lookup_that_throws_says_nothing_about_the_money() {
        first.lookup = Optional.of(new FakePsp.Looking(payment -> {
            throw new IllegalStateException("Bug! Planted");
        }));
        String id = restored.accept("order-1");
        restored.process(first).handle(restored.takeWork().getFirst());
        assertThat(restored.state(id)).isEqualTo(OperationState.PARKED);
        assertThat(first.calls).isEmpty();
    }

    @Tag("proof")
    @Test
    void a_process_that_dies_after_it_found_the_attempt_leaves_it_to_the_resolver() {
        first.then(FakePsp.FAIL);
        String id = chargedInTheLostLife(first);
        first.beforeAnswering = () -> {
            throw new FakePsp.Died();
        };
        try {
            restored.process(first).handle(restored.takeWork().getFirst());
        } catch (FakePsp.Died expected) {
            first.beforeAnswering = () -> {};
        }
        assertThat(restored.state(id)).isEqualTo(OperationState.PROCESSING);
        EngineFixture.Process other = restored.process(first);
        Waiting.until(() -> {
            other.resolver.runOnce();
            return restored.state(id) == OperationState.SUCCEEDED;
        });
        assertThat(first.captures).hasSize(1);
    }

    @Test
    void after_that_time_nothing_is_asked() {
        restored.askFirstUntil = Optional.of(Instant.now().minus(Duration.ofHours(1)));
        first.lookup = Optional.of(new FakePsp.Looking(payment -> new Traces.NoAnswer("first does not say")));
        String id = restored.accept("order-1");
        restored.process(first).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void at_stripe_a_payment_waits_until_search_shows_what_the_list_has_however_long_that_takes() throws Exception {
        var now = new AtomicReference<>(Instant.now());
        try (StripeSimulator slow = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory().clock(now::get)
                .searchLag(Duration.ofHours(1)))) {
            slow.inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CREATE));
            String id = chargedInTheLostLife(at(slow));
            EngineFixture.Process process = restored.process(at(slow));
            process.handle(restored.takeWork().getFirst());
            assertThat(restored.state(id)).isEqualTo(OperationState.PARKED);
            assertThat(restored.operation(id).failureCause()).contains("psp_not_queried");
            now.set(now.get().plus(Duration.ofHours(1)));
            process.drain();
            assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
            assertThat(moved(slow, Movement.Kind.CAPTURE, id)).isEqualTo(1);
        }
    }

    @Test
    void at_stripe_a_decline_is_found_too() {
        lost.accept("order-2", "pm_card_chargeDeclined");
        lost.process(at(stripe)).drain();
        String id = restored.accept("order-2", "pm_card_chargeDeclined");
        EngineFixture.Process process = restored.process(at(stripe));
        process.drain();
        takeStaged(process);
        assertThat(restored.state(id)).isEqualTo(OperationState.DECLINED);
        assertThat(found()).isEqualTo(1);
    }

    /** The database had forgotten a key, and its producer sent another body under it first. */
    @Test
    void at_stripe_a_capture_of_another_amount_is_never_followed_by_a_second_one_and_settles_nothing() {
        String id = lost.accept("order-3", "pm_card_visa", new Money(1_299, "EUR"));
        lost.process(at(stripe)).drain();
        assertThat(lost.state(id)).isEqualTo(OperationState.SUCCEEDED);
        restored.accept("order-3", "pm_card_visa", new Money(1_300, "EUR"));
        restored.process(at(stripe)).handle(restored.takeWork().getFirst());
        assertThat(restored.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(moved(stripe, Movement.Kind.CAPTURE, id)).isEqualTo(1);
    }

    @Test
    void at_stripe_a_refund_that_the_rows_have_lost_is_found_in_its_captures_list() {
        String id = lost.accept("order-4");
        lost.process(at(stripe)).drain();
        givenBack(lost, id, at(stripe));
        restored.accept("order-4");
        restored.process(at(stripe)).drain();
        givenBack(restored, id, at(stripe));
        assertThat(found()).as("the charge and the refund").isEqualTo(2);
        assertThat(moved(stripe, Movement.Kind.REFUND, id)).isEqualTo(1);
    }

    @Test
    void a_refund_under_a_later_attempts_key_settles_the_refund_and_nothing_more_goes_back() {
        String id = chargedInTheLostLife(first);
        first.refunds.then(new Outcome.Failed(FailureCause.PSP_UNWELL, "500"));
        givenBack(lost, id, first);
        restored.process(first).drain();
        givenBack(restored, id, first);
        assertThat(restored.operation(refundOf(id)).sequence()).isEqualTo(2);
        assertThat(first.refunds.given).hasSize(1);
    }

    @Test
    void a_refund_of_a_capture_at_a_psp_that_cannot_be_asked_waits_for_its_report() {
        String id = capturedAtMute();
        restored.compared = Set.of();
        restored.refund(id, OptionalLong.empty(), "");
        EngineFixture.Process process = restored.process(first, mute);
        process.handle(restored.takeWork().getFirst());
        assertThat(restored.state(refundOf(id))).isEqualTo(OperationState.PARKED);
        assertThat(restored.operation(refundOf(id)).failureCause()).contains("psp_not_queried");
        restored.compared = Set.of("mute");
        restored.process(first, mute).drain();
        assertThat(restored.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
        assertThat(mute.refunds.given).hasSize(1);
    }

    @Test
    void a_refund_that_its_psps_report_has_is_settled_by_the_report_and_not_sent() {
        String id = capturedAtMute();
        booked(EngineFixture.SETTLEMENT_KEYS, "refund", BookedLine.Moved.GIVEN_BACK);
        restored.refund(id, OptionalLong.empty(), "");
        EngineFixture.Process process = restored.process(first, mute);
        process.drain();
        assertThat(restored.state(refundOf(id))).isEqualTo(OperationState.UNRESOLVED);
        assertThat(process.booked.runOnce()).isEqualTo(1);
        Waiting.until(() -> restored.state(refundOf(id)) == OperationState.SUCCEEDED || process.resolver.runOnce() < 0);
        assertThat(mute.refunds.calls).isEmpty();
    }

    private String capturedAtMute() {
        restored.compared = Set.of("mute");
        String id = restored.accept("order-1");
        restored.process(mute).drain();
        assertThat(restored.state(id)).isEqualTo(OperationState.SUCCEEDED);
        return id;
    }

    private static void givenBack(EngineFixture life, String id, Gateway psp) {
        life.refund(id, OptionalLong.empty(), "");
        life.process(psp).drain();
        assertThat(life.state(refundOf(id))).isEqualTo(OperationState.SUCCEEDED);
    }

    private static String refundOf(String id) {
        return "payment-" + id + "-refund";
    }

    private static String chargedInTheLostLife(Gateway... psps) {
        String id = lost.accept("order-1");
        lost.process(psps).drain();
        assertThat(lost.state(id)).isEqualTo(OperationState.SUCCEEDED);
        restored.accept("order-1");
        return id;
    }

    private static Gateway at(StripeSimulator there) {
        return new StripeGateway(new StripeSettings("sk_test_1", there.apiBase().toString(), Duration.ofSeconds(20)));
    }

    private static long found() {
        return restored.count("FROM psp_observation WHERE source = 'found'");
    }

    private static long moved(StripeSimulator there, Movement.Kind kind, String payment) {
        return there.movements().stream()
                .filter(movement -> movement.kind() == kind && payment.equals(movement.metadata().get("payment_id"))).count();
    }
}
