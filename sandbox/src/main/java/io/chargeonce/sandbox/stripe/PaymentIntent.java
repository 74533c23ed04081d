// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Metadata;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A PaymentIntent at one moment. A change makes a new one, so that the answer frozen under a key keeps what was true when it
 * was given.
 */
public record PaymentIntent(String id, Instant created, IntentStatus status, long amount, String currency,
        Map<String, String> metadata, PaymentIntentDetails details, Optional<String> paymentMethod,
        Optional<String> latestCharge, Optional<ApiError> lastPaymentError, Optional<Cancellation> cancellation) {

    /** When and why an intent was canceled. */
    public record Cancellation(Instant at, Optional<String> reason) {}

    public PaymentIntent {
        metadata = Metadata.copy(metadata);
    }

    long amountReceived() {
        return status == IntentStatus.SUCCEEDED ? amount : 0;
    }

    PaymentIntent with(IntentStatus next) {
        return new PaymentIntent(id, created, next, amount, currency, metadata, details, paymentMethod, latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent withAmount(long other) {
        return new PaymentIntent(id, created, status, other, currency, metadata, details, paymentMethod, latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent withMetadata(Map<String, String> other) {
        return new PaymentIntent(id, created, status, amount, currency, other, details, paymentMethod, latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent withDetails(PaymentIntentDetails other) {
        return new PaymentIntent(id, created, status, amount, currency, metadata, other, paymentMethod, latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent withPaymentMethod(String name) {
        IntentStatus next = status == IntentStatus.REQUIRES_PAYMENT_METHOD ? IntentStatus.REQUIRES_CONFIRMATION : status;
        return new PaymentIntent(id, created, next, amount, currency, metadata, details, Optional.of(name), latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent captured(String charge) {
        return new PaymentIntent(id, created, IntentStatus.SUCCEEDED, amount, currency, metadata, details, paymentMethod,
                Optional.of(charge), Optional.empty(), cancellation);
    }

    /** A decline takes the payment method away again: the customer must name another. */
    PaymentIntent declined(Optional<String> charge, ApiError error) {
        return new PaymentIntent(id, created, IntentStatus.REQUIRES_PAYMENT_METHOD, amount, currency, metadata, details,
                Optional.empty(), charge.or(() -> latestCharge), Optional.of(error), cancellation);
    }

    PaymentIntent canceled(Instant at, Optional<String> reason) {
        return new PaymentIntent(id, created, IntentStatus.CANCELED, amount, currency, metadata, details, paymentMethod,
                latestCharge, lastPaymentError, Optional.of(new Cancellation(at, reason)));
    }
}
