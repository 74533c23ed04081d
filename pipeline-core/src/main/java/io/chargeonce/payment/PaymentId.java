// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/** A payment's identity, derived from merchant and idempotency key: the same pair is the same payment on every machine, for ever. */
public record PaymentId(String value) {

    private static final String PREFIX = "pay_";

    public PaymentId {
        if (!isWellFormed(value)) {
            throw new IllegalArgumentException(
                    "a payment id is '%s' and 26 characters of base32, not '%s'".formatted(PREFIX, value));
        }
    }

    /** @param merchant never contains {@code |}, so that no two pairs derive the same id */
    public static PaymentId derive(String merchant, IdempotencyKey key) {
        return new PaymentId(PREFIX + DerivedId.of("v1", merchant, key.value()));
    }

    public static Optional<PaymentId> parse(String text) {
        return isWellFormed(text) ? Optional.of(new PaymentId(text)) : Optional.empty();
    }

    private static boolean isWellFormed(String text) {
        return text != null && text.startsWith(PREFIX) && DerivedId.isWellFormed(text.substring(PREFIX.length()));
    }

    @Override
    public String toString() {
        return value;
    }
}
