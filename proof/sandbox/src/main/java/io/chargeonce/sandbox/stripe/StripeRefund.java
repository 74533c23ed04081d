// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Metadata;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Money given back. */
public record StripeRefund(String id, Instant created, String charge, String paymentIntent, long amount, String currency,
        Map<String, String> metadata, Optional<String> reason) {

    public StripeRefund {
        metadata = Metadata.copy(metadata);
    }

    StripeRefund withAmount(long other) {
        return new StripeRefund(id, created, charge, paymentIntent, other, currency, metadata, reason);
    }
}
