// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.Movement;
import java.util.Optional;

/** The confirmation of an intent: the only place where a card is charged. Pure: says what should change. */
final class Confirmation {
    private Confirmation() {}

    static TestCard card(String name) {
        return TestCards.find(name).orElseThrow(() -> Parameters.missing("PaymentMethod", name, "payment_method", 400));
    }

    static Executed<StripeChange, StripeAnswer> confirm(PaymentIntent before, StripeCall call) {
        requireOpen(before);
        Form form = call.form();
        PaymentIntent intent = form.text("payment_method").map(name -> before.withPaymentMethod(card(name).name()))
                .orElse(before).withDetails(before.details().changedBy(form));
        TestCard card = card(intent.paymentMethod().orElseThrow(() -> StripeRefusal.unexpectedState(before,
                "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the "
                        + "PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a "
                        + "payment method or ConfirmationToken.")));
        requireReturnUrlForRedirects(intent, form);
        return charge(intent, card, card.outcome(), call);
    }

    private static void requireOpen(PaymentIntent intent) {
        switch (intent.status()) {
            case SUCCEEDED -> throw StripeRefusal.unexpectedState(intent, "You cannot confirm this PaymentIntent because it has "
                    + "already succeeded after being previously confirmed.");
            case CANCELED -> throw StripeRefusal.unexpectedState(intent, "You cannot confirm this PaymentIntent because it has a "
                    + "status of canceled. Only a PaymentIntent with one of the following statuses may be confirmed: "
                    + "requires_confirmation, requires_action.");
            case REQUIRES_PAYMENT_METHOD, REQUIRES_CONFIRMATION, REQUIRES_ACTION -> {
            }
        }
    }

    private static void requireReturnUrlForRedirects(PaymentIntent intent, Form form) {
        if (intent.details().redirectsAllowed() && intent.details().returnUrl().isEmpty() && !form.isTrue("off_session")
                && !form.isTrue("use_stripe_sdk") && !form.isTrue("error_on_requires_action")) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "This PaymentIntent is configured to accept payment "
                    + "methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off "
                    + "of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, "
                    + "set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to "
                    + "`never` when creating Setup Intents and Payment Intents."));
        }
    }

    private static Executed<StripeChange, StripeAnswer> charge(PaymentIntent intent, TestCard card, TestCard.Outcome outcome,
                                                               StripeCall call) {
        return switch (outcome) {
            case TestCard.Outcome.Approves ignored -> capture(intent, card, call);
            case TestCard.Outcome.Declines declines -> decline(intent, card, declines, call);
            case TestCard.Outcome.Authenticates(TestCard.Outcome offSession) -> authenticate(intent, card, offSession, call);
        };
    }

    private static Executed<StripeChange, StripeAnswer> capture(PaymentIntent intent, TestCard card, StripeCall call) {
        StripeCharge charge = charge(intent, card, call, Ids.next("ch_3", 23), Optional.empty());
        PaymentIntent captured = intent.captured(charge.id());
        Movement movement =
                new Movement(Movement.Kind.CAPTURE, charge.id(), intent.id(), Optional.empty(), intent.amount(), intent.currency(),
                        intent.metadata(), call.at(), call.key(), StripeCurrencies.value(intent.amount(), intent.currency()));
        return Executed.of(new StripeAnswer.Intent(captured, Optional.empty()),
                new StripeChange(Optional.of(captured), Optional.of(charge), Optional.empty(), Optional.of(movement)));
    }

    private static Executed<StripeChange, StripeAnswer> decline(PaymentIntent intent, TestCard card, TestCard.Outcome.Declines declines,
                                                                StripeCall call) {
        String chargeId = Ids.next("ch_3", 23);
        ApiError error = ApiError.of(402, "card_error", declines.message()).code(declines.code())
                .declined(declines.decline()).onCharge(Optional.of(chargeId), card.name());
        ApiError named = declines.code().equals("incorrect_cvc") ? error.param("cvc") : error;
        StripeCharge charge = charge(intent, card, call, chargeId, Optional.of(named));
        PaymentIntent declined = intent.declined(Optional.of(chargeId), named);
        return Executed.of(new StripeAnswer.Failure(named, Optional.of(declined)),
                new StripeChange(Optional.of(declined), Optional.of(charge), Optional.empty(), Optional.empty()));
    }

    private static Executed<StripeChange, StripeAnswer> authenticate(PaymentIntent intent, TestCard card, TestCard.Outcome offSession,
                                                                     StripeCall call) {
        if (call.form().isTrue("off_session")) {
            return charge(intent, card, offSession, call);
        }
        if (!call.form().isTrue("error_on_requires_action")) {
            return StripeAnswer.changed(intent.with(PaymentIntent.Status.REQUIRES_ACTION));
        }
        // Nothing is sent to the issuer, so there is no charge.
        ApiError error = ApiError.of(402, "card_error", "Your card was declined. This transaction requires authentication.")
                .code("authentication_required").onCharge(Optional.empty(), card.name());
        PaymentIntent refused = intent.declined(Optional.empty(), error);
        return Executed.of(new StripeAnswer.Failure(error, Optional.of(refused)), StripeChange.of(refused));
    }

    private static StripeCharge charge(PaymentIntent intent, TestCard card, StripeCall call, String id, Optional<ApiError> failure) {
        return new StripeCharge(id, call.at(), intent.id(), intent.amount(), 0, intent.currency(), intent.metadata(),
                intent.details(), card.name(), failure);
    }
}
