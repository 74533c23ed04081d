// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.List;

/**
 * A stored payment method as it stands now.
 *
 * @param id       for {@link NewPayment#paymentMethod}
 * @param psps     the accounts at PSPs that it has tokens of
 * @param detached whether it pays for nothing any more, and its tokens are gone
 */
public record PaymentMethod(String id, String customer, List<String> psps, boolean detached) {

    public PaymentMethod {
        psps = List.copyOf(psps);
    }
}
