// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.runtime.Sha256;
import java.util.Optional;

/**
 * What makes two payments with different keys the same purchase: customer, payment method, amount, currency and reference. A request
 * that names neither customer nor reference says too little, so it has no purchase in this sense.
 */
public final class Purchase {

    private Purchase() {}

    public static Optional<byte[]> of(PaymentRequest request) {
        if (request.customer().isEmpty() && request.reference().isEmpty()) {
            return Optional.empty();
        }
        // No field can hold a line break, so no two purchases are spelled alike.
        return Optional.of(Sha256.of(String.join("\n", "v1", given(request.customer()), request.paymentMethod(),
                "" + request.money().minorUnits(), request.money().currency(), given(request.reference()))));
    }

    private static String given(Optional<String> text) {
        return text.map(given -> "=" + given).orElse("-");
    }
}
