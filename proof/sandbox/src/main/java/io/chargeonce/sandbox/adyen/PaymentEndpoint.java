// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Executed;
import io.chargeonce.sandbox.psp.Ids;
import io.chargeonce.sandbox.psp.Movement;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** Starts payments. An authorised one is captured at once, as test accounts do by default. Pure: says what should change. */
final class PaymentEndpoint {
    private final Map<String, String> vault;

    PaymentEndpoint(Map<String, String> vault) {
        this.vault = vault;
    }

    Executed<AdyenChange, AdyenReply> pay(AdyenCall call) {
        Amount amount = call.amount();
        String reference = call.text("reference")
                .orElseThrow(() -> AdyenRefusal.invalid("130", "Required field 'reference' is not provided."));
        Card card = Card.of(call, vault);
        String id = Ids.nextUpperCase(16);
        return card.redirects() ? redirect(call, id, reference, amount, card) : decide(call, id, reference, amount, card);
    }

    private static Executed<AdyenChange, AdyenReply> decide(AdyenCall call, String id, String reference, Amount amount, Card card) {
        TestOutcome outcome = card.outcome(call);
        boolean captures = outcome.captures();
        AdyenPayment payment = new AdyenPayment(id, reference, amount, call.metadata(), call.at(), outcome.resultCode, card.brand(),
                captures ? amount.value() : 0, 0, card.refundsFail());
        Notification notification = new Notification(Ids.nextUpperCase(20), call.operation().eventCode, id, Optional.empty(),
                reference, amount, call.at(), captures, outcome.refusalReason, card.brand());
        AdyenChange change = new AdyenChange(Optional.of(payment), Optional.empty(),
                captures ? Optional.of(capture(payment, call)) : Optional.empty(),
                outcome == TestOutcome.PENDING ? Optional.empty() : Optional.of(notification), Optional.empty());
        return Executed.of(AdyenPaymentJson.of(payment, outcome), change);
    }

    private static Movement capture(AdyenPayment payment, AdyenCall call) {
        return new Movement(Movement.Kind.CAPTURE, payment.pspReference(), payment.pspReference(),
                Optional.of(payment.reference()), payment.amount().value(), Movement.currency(payment.amount().currency()),
                payment.metadata(), call.at(), call.key(), AdyenCurrencies.value(payment.amount()));
    }

    private static Executed<AdyenChange, AdyenReply> redirect(AdyenCall call, String id, String reference, Amount amount, Card card) {
        AdyenPayment payment = new AdyenPayment(id, reference, amount, call.metadata(), call.at(), "RedirectShopper", card.brand(), 0, 0,
                false);
        return Executed.of(AdyenPaymentJson.redirect(payment), new AdyenChange(Optional.of(payment), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty()));
    }

    /** The answers to a payment, as Checkout API v71 gives them. */
    private static final class AdyenPaymentJson {
        private AdyenPaymentJson() {}

        static AdyenReply of(AdyenPayment payment, TestOutcome outcome) {
            return AdyenReply.of(200, json -> {
                head(json, payment);
                if (!outcome.refusalReason.isEmpty()) {
                    json.writeStringProperty("refusalReason", outcome.refusalReason);
                    json.writeStringProperty("refusalReasonCode", Integer.toString(outcome.code));
                }
            });
        }

        static AdyenReply redirect(AdyenPayment payment) {
            return AdyenReply.of(200, json -> {
                head(json, payment);
                json.writeObjectPropertyStart("action");
                json.writeStringProperty("type", "redirect");
                json.writeStringProperty("paymentMethodType", "scheme");
                json.writeStringProperty("method", "GET");
                json.writeStringProperty("url", "https://checkoutshopper-test.adyen.com/checkoutshopper/threeDS/redirect");
                json.writeEndObject();
            });
        }

        private static void head(JsonGenerator json, AdyenPayment payment) {
            json.writeStringProperty("pspReference", payment.pspReference());
            json.writeStringProperty("resultCode", payment.resultCode());
            json.writeStringProperty("merchantReference", payment.reference());
            payment.amount().write(json);
            json.writeObjectPropertyStart("paymentMethod");
            json.writeStringProperty("brand", payment.brand());
            json.writeStringProperty("type", "scheme");
            json.writeEndObject();
        }
    }
}
