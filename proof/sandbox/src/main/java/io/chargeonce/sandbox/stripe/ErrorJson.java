// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** The properties of an error, which stands alone in an answer or as an intent's {@code last_payment_error}. */
final class ErrorJson {
    private ErrorJson() {}

    static void write(JsonGenerator json, ApiError error) {
        Optional<ApiError.Decline> decline = error.decline();
        Fields.present(json, "advice_code", decline.flatMap(ApiError.Decline::adviceCode));
        Fields.present(json, "charge", error.charge());
        Fields.present(json, "code", error.code());
        Fields.present(json, "decline_code", decline.flatMap(ApiError.Decline::declineCode));
        Fields.present(json, "doc_url", error.docUrl());
        json.writeStringProperty("message", error.message());
        Fields.present(json, "network_decline_code", decline.flatMap(ApiError.Decline::networkDeclineCode));
        Fields.present(json, "param", error.param());
        error.paymentMethod().flatMap(TestCards::find).ifPresent(card -> paymentMethod(json, card));
        json.writeStringProperty("type", error.type());
    }

    private static void paymentMethod(JsonGenerator json, TestCard card) {
        json.writeObjectPropertyStart("payment_method");
        json.writeStringProperty("id", card.name());
        json.writeStringProperty("object", "payment_method");
        json.writeBooleanProperty("livemode", false);
        json.writeStringProperty("type", "card");
        json.writeObjectPropertyStart("card");
        json.writeStringProperty("brand", card.brand());
        json.writeStringProperty("funding", card.funding());
        json.writeStringProperty("last4", card.lastFour());
        json.writeEndObject();
        json.writeEndObject();
    }
}
