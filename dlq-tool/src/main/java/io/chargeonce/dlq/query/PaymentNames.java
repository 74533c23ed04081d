// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import java.util.Optional;

/**
 * What others call a payment. Every name that is given must be the payment's.
 *
 * @param key          the merchant's idempotency key
 * @param reference    the merchant's reference
 * @param customer     the merchant's name for the customer
 * @param pspReference the PSP's reference, or the key that an attempt was sent under
 */
public record PaymentNames(Optional<String> key, Optional<String> reference, Optional<String> customer, Optional<String> pspReference) {

    public static final PaymentNames ANY = new PaymentNames(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
