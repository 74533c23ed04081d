// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** The Charge object as Stripe documents it. */
final class ChargeJson {
    private static final List<String> NEVER_SET = List.of("application", "application_fee", "application_fee_amount",
            "balance_transaction", "calculated_statement_descriptor", "failure_balance_transaction", "on_behalf_of",
            "receipt_number", "receipt_url", "review", "shipping", "source_transfer", "transfer_data");

    private ChargeJson() {}

    static void write(JsonGenerator json, StripeCharge charge) {
        json.writeStringProperty("id", charge.id());
        json.writeStringProperty("object", "charge");
        money(json, charge);
        Fields.time(json, "created", charge.created());
        json.writeBooleanProperty("livemode", false);
        json.writeBooleanProperty("disputed", false);
        json.writeStringProperty("status", charge.succeeded() ? "succeeded" : "failed");
        json.writeStringProperty("payment_intent", charge.paymentIntent());
        json.writeStringProperty("payment_method", charge.paymentMethod());
        Fields.map(json, "metadata", charge.metadata());
        Fields.optional(json, "customer", charge.details().customer());
        Fields.optional(json, "description", charge.details().description());
        Fields.optional(json, "receipt_email", charge.details().receiptEmail());
        Fields.optional(json, "statement_descriptor", charge.details().statementDescriptor());
        Fields.optional(json, "statement_descriptor_suffix", charge.details().statementDescriptorSuffix());
        Fields.optional(json, "transfer_group", charge.details().transferGroup());
        TestCard card = TestCards.find(charge.paymentMethod()).orElseThrow(
                () -> new IllegalStateException("Bug! A charge on an unknown card " + charge.paymentMethod()));
        failureAndOutcome(json, charge, card);
        card(json, card);
        Fields.nulls(json, NEVER_SET);
    }

    private static void money(JsonGenerator json, StripeCharge charge) {
        json.writeNumberProperty("amount", charge.amount());
        json.writeNumberProperty("amount_captured", charge.succeeded() ? charge.amount() : 0);
        json.writeNumberProperty("amount_refunded", charge.amountRefunded());
        json.writeStringProperty("currency", charge.currency());
        json.writeBooleanProperty("captured", charge.succeeded());
        json.writeBooleanProperty("paid", charge.succeeded());
        json.writeBooleanProperty("refunded", charge.succeeded() && charge.refundable() == 0);
    }

    private static void failureAndOutcome(JsonGenerator json, StripeCharge charge, TestCard card) {
        Fields.optional(json, "failure_code", charge.failure().flatMap(ApiError::code));
        Fields.optional(json, "failure_message", charge.failure().map(ApiError::message));
        Optional<ApiError.Decline> decline = charge.failure().flatMap(ApiError::decline);
        boolean blocked = card.outcome() instanceof TestCard.Outcome.Declines declines && declines.blocked();
        json.writeObjectPropertyStart("outcome");
        Fields.optional(json, "advice_code", decline.flatMap(ApiError.Decline::adviceCode));
        json.writeNullProperty("network_advice_code");
        Fields.optional(json, "network_decline_code", decline.flatMap(ApiError.Decline::networkDeclineCode));
        json.writeStringProperty("network_status", blocked ? "not_sent_to_network"
                : charge.succeeded() ? "approved_by_network" : "declined_by_network");
        Fields.optional(json, "reason", blocked ? Optional.of("highest_risk_level")
                : decline.flatMap(ApiError.Decline::declineCode).or(() -> charge.failure().flatMap(ApiError::code)));
        json.writeStringProperty("risk_level", blocked ? "highest"
                : card.outcome() instanceof TestCard.Outcome.Approves(String riskLevel) ? riskLevel : "normal");
        json.writeStringProperty("seller_message", charge.succeeded() ? "Payment complete."
                : blocked ? "Stripe blocked this payment as too risky." : "The bank did not approve this payment.");
        json.writeStringProperty("type", blocked ? "blocked" : charge.succeeded() ? "authorized" : "issuer_declined");
        json.writeEndObject();
    }

    private static void card(JsonGenerator json, TestCard card) {
        json.writeObjectPropertyStart("billing_details");
        Fields.nulls(json, List.of("address", "email", "name", "phone", "tax_id"));
        json.writeEndObject();
        Fields.map(json, "fraud_details", Map.of());
        json.writeObjectPropertyStart("payment_method_details");
        json.writeObjectPropertyStart("card");
        json.writeStringProperty("brand", card.brand());
        json.writeStringProperty("country", "US");
        json.writeNumberProperty("exp_month", 12);
        json.writeNumberProperty("exp_year", 2034);
        json.writeStringProperty("funding", card.funding());
        json.writeStringProperty("last4", card.lastFour());
        json.writeStringProperty("network", card.brand());
        json.writeEndObject();
        json.writeStringProperty("type", "card");
        json.writeEndObject();
    }
}
