// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import java.util.Optional;

/**
 * What one PSP calls a payment method. Its text has neither name, so that none gets into a log or a message.
 *
 * @param customer with whom the method is stored there; empty if nobody said so
 */
public record PspToken(Optional<String> customer, String method) {

    @Override
    public String toString() {
        return "a token";
    }
}
