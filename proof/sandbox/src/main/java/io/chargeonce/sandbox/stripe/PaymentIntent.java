// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Metadata;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A PaymentIntent at one moment. A change makes a new one, so that the answer frozen under a key keeps what was true when it
 * was given.
 */
public record PaymentIntent(String id, Instant created, Status status, long amount, String currency,
        Map<String, String> metadata, Details details, Optional<String> paymentMethod,
        Optional<String> latestCharge, Optional<ApiError> lastPaymentError, Optional<Cancellation> cancellation) {

    /** When and why an intent was canceled. */
    public record Cancellation(Instant at, Optional<String> reason) {}

    /** The names are Stripe's. */
    public enum Status {
        REQUIRES_PAYMENT_METHOD, REQUIRES_CONFIRMATION, REQUIRES_ACTION, SUCCEEDED, CANCELED;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean isFinal() {
            return this == SUCCEEDED || this == CANCELED;
        }
    }

    /** What a client says about a payment beside its amount. Never changes what is charged. */
    public record Details(Optional<String> customer, Optional<String> description, Optional<String> receiptEmail,
            Optional<String> returnUrl, Optional<String> statementDescriptor, Optional<String> statementDescriptorSuffix,
            Optional<String> setupFutureUsage, Optional<String> transferGroup, Optional<List<String>> paymentMethodTypes,
            boolean redirectsAllowed) {

        static Details of(Form form) {
            List<String> types = form.list("payment_method_types");
            boolean never = form.text("automatic_payment_methods[allow_redirects]").filter("never"::equals).isPresent();
            return new Details(form.text("customer"), form.text("description"), form.text("receipt_email"),
                    form.text("return_url"), form.text("statement_descriptor"), form.text("statement_descriptor_suffix"),
                    form.text("setup_future_usage"), form.text("transfer_group"),
                    types.isEmpty() ? Optional.empty() : Optional.of(types), types.isEmpty() && !never);
        }

        /** These details where a later request names none of its own. */
        Details changedBy(Form form) {
            Details named = of(form);
            return new Details(named.customer.or(() -> customer), named.description.or(() -> description),
                    named.receiptEmail.or(() -> receiptEmail), named.returnUrl.or(() -> returnUrl),
                    named.statementDescriptor.or(() -> statementDescriptor),
                    named.statementDescriptorSuffix.or(() -> statementDescriptorSuffix),
                    named.setupFutureUsage.or(() -> setupFutureUsage), named.transferGroup.or(() -> transferGroup),
                    named.paymentMethodTypes.or(() -> paymentMethodTypes),
                    named.paymentMethodTypes.isEmpty() && redirectsAllowed);
        }
    }

    public PaymentIntent {
        metadata = Metadata.copy(metadata);
    }

    long amountReceived() {
        return status == Status.SUCCEEDED ? amount : 0;
    }

    PaymentIntent with(Status next) {
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

    PaymentIntent withDetails(Details other) {
        return new PaymentIntent(id, created, status, amount, currency, metadata, other, paymentMethod, latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent withPaymentMethod(String name) {
        Status next = status == Status.REQUIRES_PAYMENT_METHOD ? Status.REQUIRES_CONFIRMATION : status;
        return new PaymentIntent(id, created, next, amount, currency, metadata, details, Optional.of(name), latestCharge,
                lastPaymentError, cancellation);
    }

    PaymentIntent captured(String charge) {
        return new PaymentIntent(id, created, Status.SUCCEEDED, amount, currency, metadata, details, paymentMethod,
                Optional.of(charge), Optional.empty(), cancellation);
    }

    /** A decline takes the payment method away again: the customer must name another. */
    PaymentIntent declined(Optional<String> charge, ApiError error) {
        return new PaymentIntent(id, created, Status.REQUIRES_PAYMENT_METHOD, amount, currency, metadata, details,
                Optional.empty(), charge.or(() -> latestCharge), Optional.of(error), cancellation);
    }

    PaymentIntent canceled(Instant at, Optional<String> reason) {
        return new PaymentIntent(id, created, Status.CANCELED, amount, currency, metadata, details, paymentMethod,
                latestCharge, lastPaymentError, Optional.of(new Cancellation(at, reason)));
    }
}
