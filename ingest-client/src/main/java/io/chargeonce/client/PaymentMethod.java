// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.List;

/**
 * A stored payment method as it stands now.
 *
 * @param id       for {@link NewPayment#paymentMethod}
 * @param psps     the accounts at PSPs of which it has tokens
 * @param detached whether it was ended, and its tokens are deleted
 */
public record PaymentMethod(String id, String customer, List<String> psps, boolean detached) {

    public PaymentMethod {
        psps = List.copyOf(psps);
    }
}
