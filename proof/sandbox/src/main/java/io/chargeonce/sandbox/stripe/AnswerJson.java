// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.psp.Movement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** Renders an answer. Pure: equal answers are equal bytes. */
final class AnswerJson {
    private static final List<String> NEVER_SET_OF_A_REFUND =
            List.of("balance_transaction", "receipt_number", "source_transfer_reversal", "transfer_reversal");

    private AnswerJson() {}

    static byte[] render(StripeAnswer answer) {
        return SandboxJson.object(json -> write(json, answer));
    }

    private static void write(JsonGenerator json, StripeAnswer answer) {
        switch (answer) {
            case StripeAnswer.Intent intent -> IntentJson.write(json, intent.intent(), intent.expandedCharge());
            case StripeAnswer.Charged(StripeCharge charge) -> ChargeJson.write(json, charge);
            case StripeAnswer.Refunded(StripeRefund refund) -> refund(json, refund);
            case StripeAnswer.Disputed(StripeDispute dispute) -> dispute(json, dispute);
            case StripeAnswer.Failure failure -> failure(json, failure);
            case StripeAnswer.Page page -> page(json, page);
            case StripeAnswer.Booked booked -> booked(json, booked);
        }
    }

    /** The Refund object as Stripe documents it. */
    private static void refund(JsonGenerator json, StripeRefund refund) {
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

    /** The Dispute object as Stripe documents it. */
    static void dispute(JsonGenerator json, StripeDispute dispute) {
        json.writeStringProperty("id", dispute.id());
        json.writeStringProperty("object", "dispute");
        json.writeNumberProperty("amount", dispute.amount());
        json.writeArrayPropertyStart("balance_transactions");
        for (long amount : dispute.moved()) {
            json.writeStartObject();
            json.writeStringProperty("object", "balance_transaction");
            json.writeNumberProperty("amount", amount);
            json.writeStringProperty("currency", dispute.currency());
            json.writeStringProperty("source", dispute.id());
            json.writeStringProperty("type", "adjustment");
            json.writeEndObject();
        }
        json.writeEndArray();
        Fields.time(json, "created", dispute.created());
        json.writeStringProperty("currency", dispute.currency());
        json.writeObjectPropertyStart("evidence_details");
        Fields.time(json, "due_by", dispute.dueBy());
        json.writeBooleanProperty("has_evidence", false);
        json.writeEndObject();
        json.writeBooleanProperty("is_charge_refundable", dispute.refundable());
        json.writeBooleanProperty("livemode", false);
        Fields.map(json, "metadata", Map.of());
        json.writeStringProperty("payment_intent", dispute.paymentIntent());
        json.writeStringProperty("reason", dispute.reason());
        json.writeStringProperty("status", dispute.status());
    }

    /** The Balance Transaction object as Stripe documents it: what was given back counts below zero. */
    private static void booked(JsonGenerator json, StripeAnswer.Booked booked) {
        Movement movement = booked.movement();
        boolean charge = movement.kind() == Movement.Kind.CAPTURE;
        long amount = charge ? movement.amount() : -movement.amount();
        json.writeStringProperty("id", booked.id());
        json.writeStringProperty("object", "balance_transaction");
        json.writeNumberProperty("amount", amount);
        Fields.time(json, "available_on", movement.at());
        Fields.time(json, "created", movement.at());
        json.writeStringProperty("currency", movement.currency());
        json.writeNumberProperty("fee", 0);
        json.writeNumberProperty("net", amount);
        json.writeStringProperty("reporting_category", charge ? "charge" : "refund");
        json.writeStringProperty("status", "available");
        json.writeStringProperty("type", charge ? "charge" : "refund");
        Fields.nulls(json, List.of("description", "exchange_rate"));
        if (booked.expanded()) {
            json.writeObjectPropertyStart("source");
            source(json, movement, charge ? "charge" : "refund");
            json.writeEndObject();
        } else {
            json.writeStringProperty("source", movement.id());
        }
    }

    private static void source(JsonGenerator json, Movement movement, String object) {
        json.writeStringProperty("id", movement.id());
        json.writeStringProperty("object", object);
        json.writeNumberProperty("amount", movement.amount());
        Fields.time(json, "created", movement.at());
        json.writeStringProperty("currency", movement.currency());
        Fields.map(json, "metadata", movement.metadata());
        json.writeStringProperty("payment_intent", movement.payment());
    }

    private static void failure(JsonGenerator json, StripeAnswer.Failure failure) {
        json.writeObjectPropertyStart("error");
        ErrorJson.write(json, failure.error());
        failure.intent().ifPresent(intent -> {
            json.writeObjectPropertyStart("payment_intent");
            IntentJson.write(json, intent, Optional.empty());
            json.writeEndObject();
        });
        json.writeEndObject();
    }

    private static void page(JsonGenerator json, StripeAnswer.Page page) {
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
