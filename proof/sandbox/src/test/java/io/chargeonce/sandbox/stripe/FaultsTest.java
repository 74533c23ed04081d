// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.stripe.exception.ApiConnectionException;
import com.stripe.exception.ApiException;
import com.stripe.exception.RateLimitException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.LoggedRequest;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FaultsTest {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T10:00:00Z"));
    private final StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory().clock(now::get));
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void a_lost_answer_leaves_a_capture_that_the_same_key_brings_back() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CONFIRM));
        assertThatExceptionOfType(ApiConnectionException.class).isThrownBy(() -> customer.confirm(intent.getId(), "k2"));

        assertThat(simulator.movements()).hasSize(1);
        assertThat(customer.confirm(intent.getId(), "k2").getStatus()).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
        assertThat(simulator.requests()).extracting(LoggedRequest::fault)
                .containsExactly(Optional.empty(), Optional.of("answer_lost"), Optional.empty());
    }

    @Test
    void a_truncated_answer_leaves_a_capture() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.Truncated()).on(StripeOperation.CONFIRM));
        assertThatExceptionOfType(StripeException.class).isThrownBy(() -> customer.confirm(intent.getId(), "k2"));
        assertThat(simulator.movements()).hasSize(1);
        assertThat(customer.retrieve(intent.getId()).getStatus()).isEqualTo("succeeded");
    }

    @Test
    void a_reset_connection_executed_nothing() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.Reset()).on(StripeOperation.CONFIRM));
        ApiConnectionException reset =
                catchThrowableOfType(ApiConnectionException.class, () -> customer.confirm(intent.getId(), "k2"));
        assertThat(reset).hasRootCauseMessage("Connection reset");
        assertThat(simulator.movements()).isEmpty();
        assertThat(customer.confirm(intent.getId(), "k2").getStatus()).isEqualTo("succeeded");
    }

    @Test
    void a_rate_limit_says_when_to_come_back() throws Exception {
        simulator.inject(FaultRule.once(new Fault.RateLimited(7)));
        var answer = Raw.send(simulator, "POST", "/v1/payment_intents", "amount=100&currency=eur");
        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).contains("7");
        assertThat(simulator.counts().paymentsByStatus()).isEmpty();
    }

    @Test
    void a_wrong_amount_is_only_stated_never_charged() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.WrongAmount(999)).on(StripeOperation.CONFIRM));
        assertThat(customer.confirm(intent.getId(), "k2").getAmount()).isEqualTo(999);
        assertThat(customer.retrieve(intent.getId()).getAmount()).isEqualTo(100);
        assertThat(simulator.movements()).singleElement().satisfies(capture -> assertThat(capture.amount()).isEqualTo(100));
    }

    @Test
    void a_slow_answer_is_charged_before_it_arrives() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        simulator.inject(FaultRule.once(new Fault.SlowAfter(Duration.ofSeconds(30))).on(StripeOperation.CONFIRM));
        var impatient = Customer.key("k2").toBuilderFullCopy().setReadTimeout(200).build();
        assertThatExceptionOfType(ApiConnectionException.class)
                .isThrownBy(() -> customer.stripe.v1().paymentIntents().confirm(intent.getId(), impatient));
        assertThat(customer.confirm(intent.getId(), "k2").getStatus()).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_rule_for_one_payment_spares_the_others_and_ends_by_itself() throws StripeException {
        simulator.inject(FaultRule.once(new Fault.RateLimited(1)).on(StripeOperation.CREATE).forMetadata("payment_id", "pay_2").times(2));
        assertThat(customer.create(100, "pm_card_visa", "other")).isNotNull();
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(RateLimitException.class).isThrownBy(() -> createSecond("mine"));
        }
        assertThat(createSecond("mine").getStatus()).isEqualTo("requires_confirmation");
    }

    @Test
    void a_lasting_rule_ends_when_it_is_removed() throws StripeException {
        long rule = simulator.inject(FaultRule.once(new Fault.RateLimited(1)).always());
        for (int i = 0; i < 5; i++) {
            assertThatExceptionOfType(RateLimitException.class).isThrownBy(() -> customer.create(100, "pm_card_visa", "k1"));
        }
        simulator.removeRule(rule);
        assertThat(customer.create(100, "pm_card_visa", "k1")).isNotNull();
    }

    @Test
    void an_outage_executes_nothing_and_ends() throws StripeException {
        simulator.outage(Duration.ofSeconds(5));
        ApiException refused =
                catchThrowableOfType(ApiException.class, () -> customer.create(100, "pm_card_visa", "k1"));
        assertThat(refused.getStatusCode()).isEqualTo(503);
        assertThat(simulator.counts().paymentsByStatus()).isEmpty();
        now.updateAndGet(time -> time.plusSeconds(5));
        assertThat(customer.create(100, "pm_card_visa", "k1")).isNotNull();
    }

    @Test
    void refused_connections_are_accepted_again_on_the_same_port() throws StripeException {
        customer.create(100, "pm_card_visa", "k1");
        simulator.refuseConnections();
        // The client's open connection was cut: it finds that out, and only then tries to open another.
        catchThrowableOfType(ApiConnectionException.class, () -> customer.create(100, "pm_card_visa", "k2"));
        ApiConnectionException refused =
                catchThrowableOfType(ApiConnectionException.class, () -> customer.create(100, "pm_card_visa", "k2"));
        assertThat(refused).hasRootCauseInstanceOf(ConnectException.class);
        simulator.acceptConnections();
        assertThat(customer.create(100, "pm_card_visa", "k2")).isNotNull();
    }

    private PaymentIntent createSecond(String key) throws StripeException {
        return customer.stripe.v1().paymentIntents().create(
                Customer.payment(100, "pm_card_visa").putMetadata("payment_id", "pay_2").build(), Customer.key(key));
    }
}
