// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Ids;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Create, confirm, update and cancel. Reads the objects and says what should change; changes nothing itself. */
final class IntentEndpoints {
    private static final Set<String> CAPTURE_METHODS = Set.of("automatic", "automatic_async");
    private static final Set<String> CANCELLATION_REASONS =
            Set.of("duplicate", "fraudulent", "requested_by_customer", "abandoned");

    private final StripeObjects objects;

    IntentEndpoints(StripeObjects objects) {
        this.objects = objects;
    }

    Executed<StripeChange, StripeAnswer> create(StripeCall call) {
        Form form = call.form();
        long amount = Parameters.requiredAmount(form);
        String currency = StripeCurrencies.required(form);
        StripeCurrencies.requireChargeable(amount, currency);
        Map<String, String> metadata = Parameters.metadata(form, Map.of());
        Parameters.customer(form);
        Parameters.oneOf(form, "capture_method", CAPTURE_METHODS);
        Parameters.receiptEmail(form);
        Optional<String> method = form.text("payment_method").map(name -> Confirmation.card(name).name());
        method.ifPresent(name -> requireUsable(name, form.text("customer")));
        PaymentIntent intent = new PaymentIntent(Ids.next("pi_3", 23), call.at(),
                method.isPresent() ? PaymentIntent.Status.REQUIRES_CONFIRMATION : PaymentIntent.Status.REQUIRES_PAYMENT_METHOD,
                amount, currency, metadata, PaymentIntent.Details.of(form), method,
                Optional.empty(), Optional.empty(), Optional.empty());
        return form.isTrue("confirm") ? Confirmation.confirm(intent, call) : StripeAnswer.changed(intent);
    }

    Executed<StripeChange, StripeAnswer> confirm(StripeCall call) {
        Parameters.oneOf(call.form(), "capture_method", CAPTURE_METHODS);
        PaymentIntent intent = require(call.target());
        call.form().text("payment_method").or(intent::paymentMethod).ifPresent(name -> requireUsable(name, intent.details().customer()));
        return Confirmation.confirm(intent, call);
    }

    /** A card that is saved at a customer is charged with that customer only, and one that is saved at none is charged once. */
    private void requireUsable(String card, Optional<String> customer) {
        if (TestCards.isSaved(card) && customer.isEmpty()) {
            throw unusable("The payment method you provided is attached to a customer so for security purposes you must provide the "
                    + "customer in the request.");
        }
        if (TestCards.isSaved(card) && !customer.get().equals(TestCards.customerOf(card))) {
            throw unusable("The payment method " + card + " does not belong to the customer " + customer.get() + ".");
        }
        if (objects.isUsedUp(card)) {
            throw unusable("The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, or was "
                    + "detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a "
                    + "Customer first.");
        }
    }

    private static StripeRefusal unusable(String message) {
        return StripeRefusal.inExecution(ApiError.invalidRequest(400, message).param("payment_method"));
    }

    Executed<StripeChange, StripeAnswer> cancel(StripeCall call) {
        Parameters.oneOf(call.form(), "cancellation_reason", CANCELLATION_REASONS);
        PaymentIntent intent = require(call.target());
        if (intent.status().isFinal()) {
            throw StripeRefusal.unexpectedState(intent, "You cannot cancel this PaymentIntent because it has a status of "
                    + intent.status().text() + ". Only a PaymentIntent with one of the following statuses may be canceled: "
                    + "requires_payment_method, requires_capture, requires_confirmation, requires_action, processing.");
        }
        return StripeAnswer.changed(intent.canceled(call.at(), call.form().text("cancellation_reason")));
    }

    Executed<StripeChange, StripeAnswer> update(StripeCall call) {
        Form form = call.form();
        Optional<Long> amount = Parameters.amount(form);
        Parameters.customer(form);
        PaymentIntent intent = require(call.target());
        if (intent.status().isFinal() && (amount.isPresent() || form.has("currency") || form.has("payment_method"))) {
            throw StripeRefusal.unexpectedState(intent, "This PaymentIntent's amount could not be updated because it has a status of "
                    + intent.status().text() + ". You may only update the amount, the currency and the payment method of a "
                    + "PaymentIntent with one of the following statuses: requires_payment_method, requires_confirmation, "
                    + "requires_action.");
        }
        amount.ifPresent(other -> StripeCurrencies.requireChargeable(other, intent.currency()));
        PaymentIntent updated = intent.withMetadata(Parameters.metadata(form, intent.metadata()))
                .withDetails(intent.details().changedBy(form)).withAmount(amount.orElse(intent.amount()));
        if (form.has("currency") && !StripeCurrencies.required(form).equals(intent.currency())) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400,
                    "The simulator does not change the currency of a PaymentIntent; create another one.").param("currency"));
        }
        return StripeAnswer.changed(form.text("payment_method").map(name -> updated.withPaymentMethod(Confirmation.card(name).name()))
                .orElse(updated));
    }

    PaymentIntent require(String id) {
        return objects.intent(id).orElseThrow(() -> Parameters.missing("payment_intent", id, "intent", 404));
    }
}
