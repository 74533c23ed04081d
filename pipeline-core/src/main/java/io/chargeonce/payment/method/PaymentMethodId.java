// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import io.chargeonce.payment.DerivedId;
import io.chargeonce.payment.IdempotencyKey;
import java.util.Optional;

/** A stored payment method's identity, derived from merchant and idempotency key as a payment's is. */
public record PaymentMethodId(String value) {

    private static final String PREFIX = "pmt_";

    public PaymentMethodId {
        if (!isWellFormed(value)) {
            throw new IllegalArgumentException(
                    "a payment method's id is '%s' and 26 characters of base32, not '%s'".formatted(PREFIX, value));
        }
    }

    /** @param merchant never contains {@code |}, so that no two pairs derive the same id */
    public static PaymentMethodId derive(String merchant, IdempotencyKey key) {
        return new PaymentMethodId(PREFIX + DerivedId.of("payment_method", merchant, key.value()));
    }

    public static Optional<PaymentMethodId> parse(String text) {
        return isWellFormed(text) ? Optional.of(new PaymentMethodId(text)) : Optional.empty();
    }

    /** Whether a payment's method is meant to be a stored one. Every other text is a PSP's token or a mandate. */
    public static boolean isMeantBy(String paymentMethod) {
        return paymentMethod.startsWith(PREFIX);
    }

    private static boolean isWellFormed(String text) {
        return text != null && text.startsWith(PREFIX) && DerivedId.isWellFormed(text.substring(PREFIX.length()));
    }

    @Override
    public String toString() {
        return value;
    }
}
