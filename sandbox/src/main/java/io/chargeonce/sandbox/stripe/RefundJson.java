// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.List;
import tools.jackson.core.JsonGenerator;

/** The Refund object as Stripe documents it. */
final class RefundJson {
    private static final List<String> NEVER_SET =
            List.of("balance_transaction", "receipt_number", "source_transfer_reversal", "transfer_reversal");

    private RefundJson() {}

    static void write(JsonGenerator json, Refund refund) {
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
        Fields.nulls(json, NEVER_SET);
    }
}
