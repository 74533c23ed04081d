// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.time.Instant;
import java.util.Optional;

/**
 * A cancel, reversal or refund: answered "received" at once, executed when it is due.
 *
 * @param payment the payment's id, or the merchant's reference for it where {@code operation} is CANCEL_BY_REFERENCE
 * @param amount  the amount of a refund
 * @param result  its result, once it was executed
 */
public record Modification(String pspReference, AdyenOperation operation, String payment, Optional<String> reference,
        Optional<Amount> amount, Optional<String> idempotencyKey, Instant due, Optional<Result> result) {

    /** @param reason why not, or empty */
    public record Result(boolean success, String reason) {}

    Modification with(Result given) {
        return new Modification(pspReference, operation, payment, reference, amount, idempotencyKey, due, Optional.of(given));
    }
}
