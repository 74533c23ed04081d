// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** The PaymentIntent object as Stripe documents it. */
final class IntentJson {
    private static final List<String> NEVER_SET = List.of("application", "application_fee_amount", "customer_account",
            "excluded_payment_method_types", "on_behalf_of", "payment_method_configuration_details", "processing", "review",
            "shipping", "source", "transfer_data");

    private IntentJson() {}

    static void write(JsonGenerator json, PaymentIntent intent, Optional<StripeCharge> expandedCharge) {
        json.writeStringProperty("id", intent.id());
        json.writeStringProperty("object", "payment_intent");
        money(json, intent);
        json.writeStringProperty("capture_method", "automatic");
        json.writeStringProperty("client_secret", intent.id() + "_secret_" + new StringBuilder(intent.id().substring(4)).reverse());
        json.writeStringProperty("confirmation_method", "automatic");
        Fields.time(json, "created", intent.created());
        json.writeBooleanProperty("livemode", false);
        json.writeStringProperty("status", intent.status().text());
        Fields.map(json, "metadata", intent.metadata());
        Fields.optional(json, "payment_method", intent.paymentMethod());
        details(json, intent.details());
        latestCharge(json, intent, expandedCharge);
        lastPaymentError(json, intent);
        cancellation(json, intent);
        nextAction(json, intent);
        Fields.nulls(json, NEVER_SET);
    }

    private static void money(JsonGenerator json, PaymentIntent intent) {
        json.writeNumberProperty("amount", intent.amount());
        json.writeNumberProperty("amount_capturable", 0);
        json.writeObjectPropertyStart("amount_details");
        json.writeObjectPropertyStart("tip");
        json.writeEndObject();
        json.writeEndObject();
        json.writeNumberProperty("amount_received", intent.amountReceived());
        json.writeStringProperty("currency", intent.currency());
    }

    private static void details(JsonGenerator json, PaymentIntent.Details details) {
        Fields.optional(json, "customer", details.customer());
        Fields.optional(json, "description", details.description());
        Fields.optional(json, "receipt_email", details.receiptEmail());
        Fields.optional(json, "setup_future_usage", details.setupFutureUsage());
        Fields.optional(json, "statement_descriptor", details.statementDescriptor());
        Fields.optional(json, "statement_descriptor_suffix", details.statementDescriptorSuffix());
        Fields.optional(json, "transfer_group", details.transferGroup());
        Fields.strings(json, "payment_method_types", details.paymentMethodTypes().orElse(List.of("card")));
        json.writeObjectPropertyStart("payment_method_options");
        json.writeEndObject();
        if (details.paymentMethodTypes().isPresent()) {
            json.writeNullProperty("automatic_payment_methods");
        } else {
            json.writeObjectPropertyStart("automatic_payment_methods");
            json.writeStringProperty("allow_redirects", details.redirectsAllowed() ? "always" : "never");
            json.writeBooleanProperty("enabled", true);
            json.writeEndObject();
        }
    }

    private static void latestCharge(JsonGenerator json, PaymentIntent intent, Optional<StripeCharge> expanded) {
        if (expanded.isPresent()) {
            json.writeObjectPropertyStart("latest_charge");
            ChargeJson.write(json, expanded.get());
            json.writeEndObject();
        } else {
            Fields.optional(json, "latest_charge", intent.latestCharge());
        }
    }

    private static void lastPaymentError(JsonGenerator json, PaymentIntent intent) {
        if (intent.lastPaymentError().isPresent()) {
            json.writeObjectPropertyStart("last_payment_error");
            ErrorJson.write(json, intent.lastPaymentError().get());
            json.writeEndObject();
        } else {
            json.writeNullProperty("last_payment_error");
        }
    }

    private static void cancellation(JsonGenerator json, PaymentIntent intent) {
        if (intent.cancellation().isPresent()) {
            Fields.time(json, "canceled_at", intent.cancellation().get().at());
        } else {
            json.writeNullProperty("canceled_at");
        }
        Fields.optional(json, "cancellation_reason", intent.cancellation().flatMap(PaymentIntent.Cancellation::reason));
    }

    private static void nextAction(JsonGenerator json, PaymentIntent intent) {
        if (intent.status() != PaymentIntent.Status.REQUIRES_ACTION) {
            json.writeNullProperty("next_action");
            return;
        }
        String type = intent.details().returnUrl().isPresent() ? "redirect_to_url" : "use_stripe_sdk";
        json.writeObjectPropertyStart("next_action");
        json.writeStringProperty("type", type);
        json.writeObjectPropertyStart(type);
        Fields.present(json, "return_url", intent.details().returnUrl());
        json.writeStringProperty("url", "https://hooks.stripe.com/3d_secure_2/" + intent.id());
        json.writeEndObject();
        json.writeEndObject();
    }
}
