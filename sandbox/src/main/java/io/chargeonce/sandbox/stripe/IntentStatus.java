// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.Locale;

/** Where a PaymentIntent stands; the names are Stripe's. */
public enum IntentStatus {
    REQUIRES_PAYMENT_METHOD, REQUIRES_CONFIRMATION, REQUIRES_ACTION, SUCCEEDED, CANCELED;

    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isFinal() {
        return this == SUCCEEDED || this == CANCELED;
    }
}
