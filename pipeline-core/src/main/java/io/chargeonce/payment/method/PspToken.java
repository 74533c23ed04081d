// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import java.util.Optional;

/**
 * What one PSP calls a payment method. Its text has neither name, so that no log and no message shows one.
 *
 * @param customer the PSP's name for the customer of a stored method; for a raw token the merchant's name for the customer, if it gave one
 * @param isStored whether the merchant stored the method with these names. If not, the payment's own fields have them
 */
public record PspToken(Optional<String> customer, String method, boolean isStored) {

    /** Of a stored method. */
    public PspToken(Optional<String> customer, String method) {
        this(customer, method, true);
    }

    @Override
    public String toString() {
        return "a token";
    }
}
