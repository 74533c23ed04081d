// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Json;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** Renders an answer. Pure: equal answers are equal bytes. */
final class AnswerJson {
    private static final List<String> NEVER_SET_OF_A_REFUND =
            List.of("balance_transaction", "receipt_number", "source_transfer_reversal", "transfer_reversal");

    private AnswerJson() {}

    static byte[] render(Answer answer) {
        return Json.object(json -> write(json, answer));
    }

    private static void write(JsonGenerator json, Answer answer) {
        switch (answer) {
            case Answer.Intent intent -> IntentJson.write(json, intent.intent(), intent.expandedCharge());
            case Answer.Charged(Charge charge) -> ChargeJson.write(json, charge);
            case Answer.Refunded(Refund refund) -> refund(json, refund);
            case Answer.Failure failure -> failure(json, failure);
            case Answer.Page page -> page(json, page);
        }
    }

    /** The Refund object as Stripe documents it. */
    private static void refund(JsonGenerator json, Refund refund) {
        json.writeStringProperty("id", refund.id());
        json.writeStringProperty("object", "refund");
        json.writeNumberProperty("amount", refund.amount());
        json.writeStringProperty("charge", refund.charge());
        Fields.time(json, "created", refund.created());
        json.writeStringProperty("currency", refund.currency());
        Fields.map(json, "metadata", refund.metadata());
        json.writeStringProperty("payment_intent", refund.paymentIntent());
        Fields.optional(json, "reason", refund.reason());
        json.writeStringProperty("status", "succeeded");
        json.writeObjectPropertyStart("destination_details");
        json.writeStringProperty("type", "card");
        json.writeEndObject();
        Fields.nulls(json, NEVER_SET_OF_A_REFUND);
    }

    private static void failure(JsonGenerator json, Answer.Failure failure) {
        json.writeObjectPropertyStart("error");
        ErrorJson.write(json, failure.error());
        failure.intent().ifPresent(intent -> {
            json.writeObjectPropertyStart("payment_intent");
            IntentJson.write(json, intent, Optional.empty());
            json.writeEndObject();
        });
        json.writeEndObject();
    }

    private static void page(JsonGenerator json, Answer.Page page) {
        json.writeStringProperty("object", page.search() ? "search_result" : "list");
        json.writeStringProperty("url", page.url());
        json.writeBooleanProperty("has_more", page.hasMore());
        page.nextSearchPage().ifPresent(next -> json.writeStringProperty("next_page", next.toString()));
        json.writeArrayPropertyStart("data");
        page.items().forEach(item -> {
            json.writeStartObject();
            write(json, item);
            json.writeEndObject();
        });
        json.writeEndArray();
    }
}
