// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import java.util.Optional;

/**
 * What one PSP calls a payment method. Its text has neither name, so that no log and no message shows one.
 *
 * @param customer the PSP's name for the customer of the method; empty if it is not known
 */
public record PspToken(Optional<String> customer, String method) {

    @Override
    public String toString() {
        return "a token";
    }
}
