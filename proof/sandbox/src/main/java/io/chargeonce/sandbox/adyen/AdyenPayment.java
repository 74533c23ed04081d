// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Metadata;
import java.time.Instant;
import java.util.Map;

/**
 * A payment at one moment; a change makes a new one.
 *
 * @param resultCode what the answer said
 * @param captured   what was taken, in minor units
 * @param refunded   what of it was given back
 */
public record AdyenPayment(String pspReference, String reference, Amount amount, Map<String, String> metadata, Instant at,
        String resultCode, String brand, long captured, long refunded, boolean refundsFail) {
    public AdyenPayment {
        metadata = Metadata.copy(metadata);
    }

    long refundable() {
        return captured - refunded;
    }

    AdyenPayment refunded(long more) {
        return new AdyenPayment(pspReference, reference, amount, metadata, at, resultCode, brand, captured, refunded + more,
                refundsFail);
    }
}
