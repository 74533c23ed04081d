// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.adyen.AdyenGateway;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspSimulator;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A worker sleeps at an exact point of its call until its lease, the payment's deadline or even the PSP's memory of the key has ended.
 * Meanwhile its attempt is resolved and a merge charges again. When it wakes up, no second money moves: because the PSP refuses it if the
 * worker ignores its clock, and because the worker checks its clock.
 */
class ZombieTest {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
    private static final AtomicReference<Duration> AHEAD = new AtomicReference<>(Duration.ZERO);
    private static StripeSimulator stripe;
    private static AdyenSimulator adyen;
    private static Gateway toStripe;
    private static Gateway toAdyen;
    private static EngineFixture books;
    private static EngineFixture.Process successor;
    private static int orders;

    private EngineFixture.Process sleeper;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory().searchLag(Duration.ZERO)
                .clock(() -> Instant.now().plus(AHEAD.get())));
        adyen = AdyenSimulator.start(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.inMemory().storing("pm_card_visa", "APPROVED"));
        toStripe = new StripeGateway(new StripeSettings("sk_test_1", stripe.apiBase().toString(), CALL_TIMEOUT));
        toAdyen = new AdyenGateway(new AdyenSettings(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY,
                io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT, adyen.apiBase().toString(), CALL_TIMEOUT));
        books = new EngineFixture();
    }

    @AfterEach
    void heal() {
        sleeper.close();
        successor.close();
        stripe.removeRules();
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        adyen.close();
        books.close();
    }

    private static String accept(Gateway gateway) {
        successor = books.mortalProcess(gateway);
        return books.accept("order-" + ++orders);
    }

    private void sleepsDuring(Gateway gateway, boolean looksAtItsClock, String operation, Runnable meanwhile) {
        var slept = new AtomicBoolean();
        sleeper = books.mortalProcess(new SleepingGateway(gateway, looksAtItsClock, () -> {
            slept.set(true);
            meanwhile.run();
        }));
        // On a slow machine its lease may end before it gets that far.
        Waiting.until(() -> {
            books.takeWork(operation).forEach(sleeper::handle);
            return slept.get();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_worker_that_sleeps_past_the_deadline_charges_nothing_after_a_merge_charged(boolean looksAtItsClock) {
        String id = accept(toStripe);
        sleepsDuring(toStripe, looksAtItsClock, id, () -> {
            books.execute("""
                    UPDATE operation_state SET charge_before = now() WHERE operation_id = '%1$s';
                    UPDATE payment_attempt SET sent_at = now() - interval '2 hours' WHERE payment_id = '%1$s'
                    """.formatted(id));
            awaitState(id, OperationState.DEAD);
            books.merge(id);
            awaitState(id, OperationState.SUCCEEDED);
        });
        assertMovedOnce(stripe, Movement.Kind.CAPTURE, id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_worker_that_sleeps_until_the_key_is_forgotten_charges_nothing_twice(boolean looksAtItsClock) {
        String id = accept(toStripe);
        sleepsDuring(toStripe, looksAtItsClock, id, () -> {
            forgetKey(id);
            awaitState(id, OperationState.SUCCEEDED);
            if (looksAtItsClock) {
                // Not even the fence is remembered any more.
                AHEAD.set(AHEAD.get().plusDays(2));
            }
        });
        assertThat(books.operation(id).sequence()).isGreaterThanOrEqualTo(2);
        assertMovedOnce(stripe, Movement.Kind.CAPTURE, id);
    }

    @Test
    void a_worker_that_stalls_between_create_and_confirm_sends_no_confirm() throws Exception {
        String id = accept(toStripe);
        sleeper = books.mortalProcess(toStripe);
        stripe.inject(FaultRule.once(new Fault.SlowAfter(EngineFixture.LEASE.multipliedBy(4))).on(StripeOperation.CREATE));
        var record = books.takeWork(id).getFirst();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var stalled = threads.submit(() -> sleeper.handle(record));
            awaitState(id, OperationState.SUCCEEDED);
            stalled.get();
        }
        assertMovedOnce(stripe, Movement.Kind.CAPTURE, id);
        String confirm = key(id, 1) + "-confirm";
        assertThat(stripe.requests()).noneMatch(request -> request.idempotencyKey().equals(Optional.of(confirm)));
    }

    @Test
    void past_the_deadline_adyen_is_asked_with_the_living_key_and_a_sleeper_sends_nothing() {
        String id = accept(toAdyen);
        sleepsDuring(toAdyen, true, id, () -> {
            books.execute("UPDATE operation_state SET charge_before = now() WHERE operation_id = '%s'".formatted(id));
            awaitState(id, OperationState.SUCCEEDED);
        });
        assertMovedOnce(adyen, Movement.Kind.CAPTURE, id);
        assertThat(adyen.requests()).filteredOn(request -> request.idempotencyKey().equals(Optional.of(key(id, 1)))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_refund_that_never_left_us_is_paid_once_though_its_key_is_forgotten(boolean looksAtItsClock) {
        String id = accept(toStripe);
        awaitState(id, OperationState.SUCCEEDED);
        books.refund(id, OptionalLong.of(500), "line-1");
        String refund = "payment-" + id + "-refund-line-1";
        sleepsDuring(toStripe, looksAtItsClock, refund, () -> {
            forgetKey(id);
            awaitState(refund, OperationState.SUCCEEDED);
        });
        assertMovedOnce(stripe, Movement.Kind.REFUND, id);
        assertThat(books.operation(refund).sequence()).isEqualTo(1);
    }

    @Test
    void a_key_that_stripe_forgot_before_our_clock_says_so_is_not_taken_for_an_unexecuted_attempt() {
        String id = accept(toStripe);
        awaitState(id, OperationState.SUCCEEDED);
        sleeper = successor;
        AHEAD.set(AHEAD.get().plusDays(2));
        books.rewrite("""
                UPDATE payment_attempt SET state = 'in_flight', charged_at_once = false, psp_reference = NULL WHERE payment_id = '%1$s';
                UPDATE operation_state SET state = 'processing', lease_token = gen_random_uuid(), resolve_at = now(), settled_at = NULL,
                       psp_reference = NULL WHERE operation_id = '%1$s'
                """.formatted(id));
        awaitState(id, OperationState.SUCCEEDED);
        assertMovedOnce(stripe, Movement.Kind.CAPTURE, id);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
    }

    private static void forgetKey(String payment) {
        books.execute("""
                UPDATE payment_attempt SET sent_at = now() - interval '2 days', key_valid_until = now() - interval '1 day'
                 WHERE payment_id = '%s'
                """.formatted(payment));
    }

    private static String key(String id, int sequence) {
        return books.database.withConnection(connection -> {
            try (var statement = connection.createStatement(); var result = statement.executeQuery(
                    "SELECT psp_key FROM payment_attempt WHERE operation_id = '%s' AND sequence = %d".formatted(id, sequence))) {
                result.next();
                return result.getString(1);
            }
        });
    }

    private static void awaitState(String operation, OperationState state) {
        Waiting.until(() -> {
            successor.resolver.runOnce();
            successor.drain();
            return books.state(operation) == state;
        });
    }

    private static void assertMovedOnce(PspSimulator psp, Movement.Kind kind, String payment) {
        List<Movement> moved = psp.movements().stream()
                .filter(movement -> movement.kind() == kind && payment.equals(movement.metadata().get("payment_id"))).toList();
        assertThat(moved).hasSize(1);
        assertThat(books.count("FROM audit_record WHERE action LIKE 'incident.%' AND resource_id LIKE '%" + payment + "%'")).isZero();
    }
}
