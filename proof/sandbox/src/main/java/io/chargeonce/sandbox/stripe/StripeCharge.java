// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Metadata;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** One try to take the money of an intent: captured, or refused for the reason in {@code failure}. */
public record StripeCharge(String id, Instant created, String paymentIntent, long amount, long amountRefunded, String currency,
        Map<String, String> metadata, PaymentIntent.Details details, String paymentMethod, Optional<ApiError> failure) {

    public StripeCharge {
        metadata = Metadata.copy(metadata);
        if (amountRefunded < 0 || amountRefunded > amount) {
            throw new IllegalArgumentException("Bug! " + amountRefunded + " refunded of " + amount + " on " + id);
        }
    }

    boolean succeeded() {
        return failure.isEmpty();
    }

    long refundable() {
        return succeeded() ? amount - amountRefunded : 0;
    }

    StripeCharge refunded(long more) {
        return new StripeCharge(id, created, paymentIntent, amount, amountRefunded + more, currency, metadata, details,
                paymentMethod, failure);
    }
}
