// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.stripe.exception.ApiException;
import com.stripe.exception.CardException;
import com.stripe.exception.IdempotencyException;
import com.stripe.exception.InvalidRequestException;
import com.stripe.exception.RateLimitException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IdempotencyTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
    private final StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory().clock(now::get));
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void the_same_key_replays_the_first_answer_byte_for_byte() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        PaymentIntent first = customer.confirm(intent.getId(), "k2");
        PaymentIntent again = customer.confirm(intent.getId(), "k2");

        assertThat(again.getLastResponse().body()).isEqualTo(first.getLastResponse().body());
        assertThat(first.getLastResponse().headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(again.getLastResponse().headers().firstValue("Idempotent-Replayed")).contains("true");
        assertThat(again.getLastResponse().headers().firstValue("Original-Request"))
                .contains(first.getLastResponse().requestId());
        assertThat(again.getLastResponse().idempotencyKey()).isEqualTo("k2");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_replayed_create_shows_the_intent_as_it_was_then() throws StripeException {
        PaymentIntent paid = customer.pay(100, "p");
        PaymentIntent again = customer.create(100, "pm_card_visa", "p-create");
        assertThat(again.getId()).isEqualTo(paid.getId());
        assertThat(again.getStatus()).isEqualTo("requires_confirmation");
    }

    @Test
    void the_same_key_with_other_parameters_is_refused() throws StripeException {
        customer.create(100, "pm_card_visa", "k1");
        IdempotencyException refused =
                catchThrowableOfType(IdempotencyException.class, () -> customer.create(101, "pm_card_visa", "k1"));
        assertThat(refused.getStatusCode()).isEqualTo(400);
        assertThat(refused.getStripeError().getType()).isEqualTo("idempotency_error");
    }

    @Test
    void the_same_key_on_another_endpoint_is_refused() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        assertThat(catchThrowableOfType(IdempotencyException.class, () -> customer.confirm(intent.getId(), "k1"))).isNotNull();
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_500_is_frozen_although_nothing_was_executed() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM));
        ApiException first = catchThrowableOfType(ApiException.class, () -> customer.confirm(intent.getId(), "k2"));
        ApiException again = catchThrowableOfType(ApiException.class, () -> customer.confirm(intent.getId(), "k2"));

        assertThat(first.getStatusCode()).isEqualTo(500);
        assertThat(again.getStatusCode()).isEqualTo(500);
        assertThat(simulator.movements()).isEmpty();
        assertThat(customer.confirm(intent.getId(), "k3").getStatus()).isEqualTo("succeeded");
    }

    @Test
    void a_500_after_the_charge_is_frozen_too_and_the_charge_stands() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.FailAfter()).on(StripeOperation.CONFIRM));
        assertThatExceptionOfType(ApiException.class).isThrownBy(() -> customer.confirm(intent.getId(), "k2"));
        assertThat(catchThrowableOfType(ApiException.class, () -> customer.confirm(intent.getId(), "k2")).getStatusCode())
                .isEqualTo(500);
        assertThat(customer.retrieve(intent.getId()).getStatus()).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_decline_is_frozen() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa_chargeDeclined", "k1");
        CardException first = catchThrowableOfType(CardException.class, () -> customer.confirm(intent.getId(), "k2"));
        CardException again = catchThrowableOfType(CardException.class, () -> customer.confirm(intent.getId(), "k2"));
        assertThat(again.getCharge()).isEqualTo(first.getCharge());
    }

    @Test
    void refusals_before_execution_are_not_frozen() throws StripeException {
        assertThatExceptionOfType(InvalidRequestException.class).isThrownBy(() -> customer.create(0, "pm_card_visa", "k1"));
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");

        simulator.inject(FaultRule.once(new Fault.RateLimited(7)).on(StripeOperation.CONFIRM));
        RateLimitException limited =
                catchThrowableOfType(RateLimitException.class, () -> customer.confirm(intent.getId(), "k2"));
        assertThat(limited.getStatusCode()).isEqualTo(429);
        assertThat(simulator.movements()).isEmpty();
        assertThat(customer.confirm(intent.getId(), "k2").getStatus()).isEqualTo("succeeded");
    }

    @Test
    void a_key_in_use_is_refused_and_free_afterwards() throws Exception {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.SlowBefore(Duration.ofSeconds(2))).on(StripeOperation.CONFIRM));
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> status(intent.getId(), "k2"));
        await().untilAsserted(() -> assertThat(status(intent.getId(), "k2")).isEqualTo("409 idempotency_key_in_use"));
        assertThat(slow.get()).isEqualTo("succeeded");
        assertThat(status(intent.getId(), "k2")).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void of_many_simultaneous_requests_with_one_key_one_is_executed() throws Exception {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        List<Callable<String>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            calls.add(() -> status(intent.getId(), "k2"));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<String> call : threads.invokeAll(calls)) {
                assertThat(call.get()).isIn("succeeded", "409 idempotency_key_in_use");
            }
        }
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void of_many_simultaneous_confirmations_with_many_keys_one_charges() throws Exception {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        List<Callable<String>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            String key = "confirm-" + i;
            calls.add(() -> status(intent.getId(), key));
        }
        List<String> answers = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<String> call : threads.invokeAll(calls)) {
                answers.add(call.get());
            }
        }
        assertThat(answers).containsOnlyOnce("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void after_its_lifetime_a_key_is_a_new_request() throws StripeException {
        PaymentIntent first = customer.create(100, "pm_card_visa", "k1");
        now.updateAndGet(time -> time.plus(Duration.ofHours(24)).minusMillis(1));
        assertThat(customer.create(100, "pm_card_visa", "k1").getId()).isEqualTo(first.getId());
        now.updateAndGet(time -> time.plusMillis(1));
        assertThat(customer.create(100, "pm_card_visa", "k1").getId()).isNotEqualTo(first.getId());
    }

    private String status(String intent, String key) {
        try {
            return customer.confirm(intent, key).getStatus();
        } catch (StripeException e) {
            return e.getStatusCode() + " " + e.getCode();
        }
    }
}
