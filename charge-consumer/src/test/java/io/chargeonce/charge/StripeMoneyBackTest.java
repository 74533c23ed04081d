// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Refunds at Stripe, and status queries after the key is forgotten, against the simulator. */
class StripeMoneyBackTest {

    private static final Duration CALL_TIMEOUT = Duration.ofMillis(500);
    private static StripeSimulator stripe;
    private static EngineFixture books;
    private static EngineFixture.Process process;
    private static int orders;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory().searchLag(Duration.ZERO));
        books = new EngineFixture();
        process = books.process(new StripeGateway(new StripeSettings("sk_test_1", stripe.apiBase().toString(), CALL_TIMEOUT)));
    }

    @AfterEach
    void heal() {
        stripe.removeRules();
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        books.close();
    }

    static Stream<Fault> faults() {
        return Stream.of(new Fault.FailBefore(), new Fault.FailAfter(), new Fault.AnswerLost(), new Fault.Truncated(), new Fault.Reset(),
                new Fault.RateLimited(1), new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)),
                new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)),
                new Fault.WrongAmount(1));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void after_any_single_fault_the_money_is_refunded_once(Fault fault) {
        String id = books.accept("order-" + ++orders);
        settle(id);
        stripe.inject(FaultRule.once(fault).on(StripeOperation.REFUND));
        books.refund(id, OptionalLong.of(500), "line-1");
        settle("payment-" + id + "-refund-line-1");
        assertThat(books.refunded(id)).isEqualTo(500);
        assertThat(stripe.movements()).filteredOn(movement -> movement.kind() == Movement.Kind.REFUND
                && id.equals(movement.metadata().get("payment_id"))).singleElement()
                .satisfies(movement -> assertThat(movement.amount()).isEqualTo(500));
    }

    @Test
    void with_the_key_forgotten_and_no_id_known_metadata_find_the_payment() {
        String id = books.accept("order-" + ++orders);
        process.drain();
        forget(id);
        Waiting.until(() -> process.resolver.runOnce() > 0 && books.state(id) == OperationState.SUCCEEDED);
        assertThat(stripe.requests()).anyMatch(request -> request.path().endsWith("/search"));
        assertThat(stripe.movements()).filteredOn(movement -> id.equals(movement.metadata().get("payment_id"))).hasSize(1);
    }

    @Test
    void what_stripe_never_saw_fails_for_good_only_when_not_found_twice_and_past_the_lag() {
        stripe.inject(FaultRule.once(new Fault.Reset()).on(StripeOperation.CREATE));
        String id = books.accept("order-" + ++orders);
        process.handle(books.takeWork().getFirst());
        forget(id);
        books.execute("UPDATE payment_attempt SET sent_at = now() WHERE payment_id = '" + id + "'");
        Waiting.until(() -> {
            process.resolver.runOnce();
            return books.operation(id).resolveTries() >= 3;
        });
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        books.execute("UPDATE payment_attempt SET sent_at = now() - interval '2 hours' WHERE payment_id = '" + id + "'");
        settle(id);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).sequence()).isEqualTo(2);
    }

    /** As if the process had died during its call and returned after Stripe had forgotten the key. */
    private static void forget(String id) {
        books.rewrite("""
                UPDATE payment_attempt SET state = 'in_flight', charged_at_once = false, failed_definite = false, psp_reference = NULL,
                    sends = 1,
                       sent_at = now() - interval '1 day', key_valid_until = now() - interval '1 hour'
                 WHERE payment_id = '%1$s';
                UPDATE operation_state SET state = 'processing', lease_token = gen_random_uuid(), resolve_at = now(), settled_at = NULL,
                       psp_reference = NULL WHERE operation_id = '%1$s';
                DELETE FROM outbox WHERE record_key = '%1$s'
                """.formatted(id));
    }

    private static void settle(String id) {
        Waiting.until(() -> {
            process.drain();
            process.resolver.runOnce();
            return switch (books.state(id)) {
                case SUCCEEDED, FAILED, DECLINED, CANCELED, DEAD -> true;
                case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, PURGED -> false;
            };
        });
    }
}
