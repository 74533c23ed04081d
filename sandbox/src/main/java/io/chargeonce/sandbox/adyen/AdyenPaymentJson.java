// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import tools.jackson.core.JsonGenerator;

/** The answers to a payment, as Checkout API v71 gives them. */
final class AdyenPaymentJson {
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
