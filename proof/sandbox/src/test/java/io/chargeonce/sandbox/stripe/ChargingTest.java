// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.stripe.exception.CardException;
import com.stripe.exception.InvalidRequestException;
import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.PaymentIntent;
import com.stripe.param.PaymentIntentConfirmParams;
import com.stripe.param.PaymentIntentCreateParams;
import com.stripe.param.PaymentIntentRetrieveParams;
import com.stripe.param.PaymentIntentUpdateParams;
import io.chargeonce.sandbox.psp.Movement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChargingTest {
    private final StripeSimulator simulator = StripeSimulator.start(StripeSimulatorSettings.inMemory());
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void an_unconfirmed_intent_moves_no_money() throws StripeException {
        PaymentIntent intent = customer.create(1299, "pm_card_visa", "k1");
        assertThat(intent.getStatus()).isEqualTo("requires_confirmation");
        assertThat(intent.getLatestCharge()).isNull();
        assertThat(intent.getLivemode()).isFalse();
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void create_then_confirm_charges_once() throws StripeException {
        PaymentIntent intent = customer.create(1299, "pm_card_visa", "k1");
        PaymentIntent paid = customer.confirm(intent.getId(), "k2");

        assertThat(paid.getStatus()).isEqualTo("succeeded");
        assertThat(paid.getAmountReceived()).isEqualTo(1299);
        assertThat(paid.getMetadata()).containsEntry("payment_id", "pay_1");
        Charge charge = customer.stripe.v1().charges().retrieve(paid.getLatestCharge());
        assertThat(charge.getAmountCaptured()).isEqualTo(1299);
        assertThat(charge.getPaymentMethodDetails().getCard().getLast4()).isEqualTo("4242");
        assertThat(simulator.movements()).singleElement().satisfies(capture -> {
            assertThat(capture.kind()).isEqualTo(Movement.Kind.CAPTURE);
            assertThat(capture.payment()).isEqualTo(intent.getId());
            assertThat(capture.amount()).isEqualTo(1299);
            assertThat(capture.currency()).isEqualTo("eur");
            assertThat(capture.metadata()).containsEntry("payment_id", "pay_1");
            assertThat(capture.idempotencyKey()).contains("k2");
        });
    }

    @Test
    void confirming_while_creating_charges_at_once() throws StripeException {
        PaymentIntent paid = customer.stripe.v1().paymentIntents()
                .create(Customer.payment(500, "pm_card_mastercard").setConfirm(true).build());
        assertThat(paid.getStatus()).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_succeeded_intent_cannot_be_confirmed_again_under_another_key() throws StripeException {
        PaymentIntent paid = customer.pay(100, "p");
        InvalidRequestException refused =
                catchThrowableOfType(InvalidRequestException.class, () -> customer.confirm(paid.getId(), "another"));
        assertThat(refused.getCode()).isEqualTo("payment_intent_unexpected_state");
        assertThat(refused.getStripeError().getPaymentIntent().getStatus()).isEqualTo("succeeded");
        assertThat(simulator.movements()).hasSize(1);
    }

    @Test
    void a_canceled_intent_can_never_charge() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa", "k1");
        assertThat(customer.cancel(intent.getId()).getStatus()).isEqualTo("canceled");

        assertThat(catchThrowableOfType(InvalidRequestException.class, () -> customer.confirm(intent.getId(), "k2")).getCode())
                .isEqualTo("payment_intent_unexpected_state");
        assertThat(catchThrowableOfType(InvalidRequestException.class, () -> customer.cancel(intent.getId())).getCode())
                .isEqualTo("payment_intent_unexpected_state");
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_succeeded_intent_cannot_be_canceled() throws StripeException {
        PaymentIntent paid = customer.pay(100, "p");
        InvalidRequestException refused =
                catchThrowableOfType(InvalidRequestException.class, () -> customer.cancel(paid.getId()));
        assertThat(refused.getStatusCode()).isEqualTo(400);
        assertThat(refused.getStripeError().getPaymentIntent().getStatus()).isEqualTo("succeeded");
    }

    @ParameterizedTest
    @CsvSource({
        "pm_card_visa_chargeDeclined, card_declined, generic_decline, try_again_later",
        "pm_card_visa_chargeDeclinedInsufficientFunds, card_declined, insufficient_funds, try_again_later",
        "pm_card_visa_chargeDeclinedLostCard, card_declined, lost_card, do_not_try_again",
        "pm_card_visa_chargeDeclinedStolenCard, card_declined, stolen_card, do_not_try_again",
        "pm_card_visa_chargeDeclinedVelocityLimitExceeded, card_declined, card_velocity_exceeded, try_again_later",
        "pm_card_chargeDeclinedExpiredCard, expired_card, , do_not_try_again",
        "pm_card_chargeDeclinedIncorrectCvc, incorrect_cvc, , confirm_card_data",
        "pm_card_chargeDeclinedProcessingError, processing_error, , try_again_later",
        "pm_card_chargeCustomerFail, card_declined, generic_decline, try_again_later",
        "pm_card_radarBlock, card_declined, fraudulent, ",
    })
    void a_declining_card_declines_at_confirmation_as_documented(String card, String code, String decline, String advice)
            throws StripeException {
        PaymentIntent intent = customer.create(100, card, "k1");
        CardException declined = catchThrowableOfType(CardException.class, () -> customer.confirm(intent.getId(), "k2"));

        assertThat(declined.getStatusCode()).isEqualTo(402);
        assertThat(declined.getCode()).isEqualTo(code);
        assertThat(declined.getDeclineCode()).isEqualTo(decline);
        assertThat(declined.getStripeError().getAdviceCode()).isEqualTo(advice);
        assertThat(customer.stripe.v1().charges().retrieve(declined.getCharge()).getStatus()).isEqualTo("failed");
        PaymentIntent now = customer.retrieve(intent.getId());
        assertThat(now.getStatus()).isEqualTo("requires_payment_method");
        assertThat(now.getLastPaymentError().getCode()).isEqualTo(code);
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_declined_intent_can_be_paid_with_another_card() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_visa_chargeDeclined", "k1");
        assertThatExceptionOfType(CardException.class).isThrownBy(() -> customer.confirm(intent.getId(), "k2"));
        PaymentIntent paid = customer.stripe.v1().paymentIntents().confirm(intent.getId(),
                PaymentIntentConfirmParams.builder().setPaymentMethod("pm_card_visa").build());
        assertThat(paid.getStatus()).isEqualTo("succeeded");
        assertThat(paid.getLastPaymentError()).isNull();
    }

    @Test
    void a_card_that_needs_authentication_waits_for_the_customer() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_authenticationRequired", "k1");
        PaymentIntent waiting = customer.confirm(intent.getId(), "k2");
        assertThat(waiting.getStatus()).isEqualTo("requires_action");
        assertThat(waiting.getNextAction().getType()).isEqualTo("use_stripe_sdk");
        assertThat(customer.cancel(intent.getId()).getStatus()).isEqualTo("canceled");
    }

    @Test
    void a_card_that_needs_authentication_is_declined_off_session() throws StripeException {
        PaymentIntent intent = customer.create(100, "pm_card_authenticationRequired", "k1");
        CardException declined = catchThrowableOfType(CardException.class, () -> customer.stripe.v1().paymentIntents()
                .confirm(intent.getId(), PaymentIntentConfirmParams.builder().setOffSession(true).build()));
        assertThat(declined.getCode()).isEqualTo("authentication_required");
        assertThat(declined.getDeclineCode()).isEqualTo("authentication_required");
    }

    @Test
    void an_unknown_payment_method_is_refused() {
        InvalidRequestException refused = catchThrowableOfType(InvalidRequestException.class,
                () -> customer.create(100, "pm_card_unheard_of", "k1"));
        assertThat(refused.getCode()).isEqualTo("resource_missing");
        assertThat(refused.getParam()).isEqualTo("payment_method");
        assertThat(refused.getStripeError().getMessage()).isEqualTo("No such PaymentMethod: 'pm_card_unheard_of'");
    }

    @Test
    void confirmation_without_a_return_address_needs_payment_methods_that_do_not_redirect() throws StripeException {
        PaymentIntent intent = customer.stripe.v1().paymentIntents().create(
                PaymentIntentCreateParams.builder().setAmount(100L).setCurrency("eur")
                        .setPaymentMethod("pm_card_visa").build());
        InvalidRequestException refused =
                catchThrowableOfType(InvalidRequestException.class, () -> customer.confirm(intent.getId(), "k1"));
        assertThat(refused.getMessage()).contains("return_url");
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void the_latest_charge_can_be_expanded() throws StripeException {
        PaymentIntent paid = customer.pay(100, "p");
        PaymentIntent expanded = customer.stripe.v1().paymentIntents().retrieve(paid.getId(),
                PaymentIntentRetrieveParams.builder().addExpand("latest_charge").build());
        assertThat(expanded.getLatestChargeObject().getAmount()).isEqualTo(100);
    }

    @Test
    void a_saved_card_is_charged_with_its_customer_only() throws StripeException {
        assertThat(refusal(Customer.payment(100, "pm_of_jane"))).contains("attached to a customer");
        assertThat(refusal(Customer.payment(100, "pm_of_jane").setCustomer("cus_joe"))).contains("does not belong");
        assertThat(refusal(Customer.payment(100, "pm_card_visa").setReceiptEmail("jane"))).contains("email");
        for (int i = 1; i <= 2; i++) {
            PaymentIntent paid = customer.stripe.v1().paymentIntents().create(
                    Customer.payment(100, "pm_of_jane").setCustomer("cus_jane").setConfirm(true).setOffSession(true).build());
            assertThat(paid.getStatus()).isEqualTo("succeeded");
        }
    }

    @Test
    void a_card_that_is_saved_nowhere_is_charged_once() throws StripeException {
        PaymentIntent first = customer.create(100, "pm_once_1", "k1");
        PaymentIntent second = customer.create(100, "pm_once_1", "k2");
        assertThat(customer.confirm(first.getId(), "k3").getStatus()).isEqualTo("succeeded");
        assertThat(catchThrowableOfType(InvalidRequestException.class, () -> customer.confirm(second.getId(), "k4")).getMessage())
                .contains("may not be used again");
        assertThat(refusal(Customer.payment(100, "pm_once_1"))).contains("may not be used again");
    }

    private String refusal(PaymentIntentCreateParams.Builder payment) {
        return catchThrowableOfType(InvalidRequestException.class, () -> customer.stripe.v1().paymentIntents().create(payment.build()))
                .getMessage();
    }

    @Test
    void metadata_can_be_changed_afterwards_but_the_amount_cannot() throws StripeException {
        PaymentIntent paid = customer.pay(100, "p");
        PaymentIntent updated = customer.stripe.v1().paymentIntents().update(paid.getId(),
                PaymentIntentUpdateParams.builder().putMetadata("note", "x").setDescription("a chair").build());
        assertThat(updated.getMetadata()).containsEntry("note", "x").containsEntry("payment_id", "pay_1");
        assertThat(updated.getDescription()).isEqualTo("a chair");
        assertThat(catchThrowableOfType(InvalidRequestException.class, () -> customer.stripe.v1().paymentIntents()
                .update(paid.getId(), PaymentIntentUpdateParams.builder().setAmount(5L).build())).getCode())
                .isEqualTo("payment_intent_unexpected_state");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -5, 100_000_000L})
    void an_amount_that_stripe_would_refuse_is_refused(long amount) {
        InvalidRequestException refused = catchThrowableOfType(InvalidRequestException.class,
                () -> customer.create(amount, "pm_card_visa", "k1"));
        assertThat(refused.getStatusCode()).isEqualTo(400);
        assertThat(refused.getParam()).isEqualTo("amount");
    }
}
