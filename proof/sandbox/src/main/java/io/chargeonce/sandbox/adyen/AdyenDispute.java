// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.dispute.DisputeStep;

/**
 * A dispute at one moment; a change makes a new one.
 *
 * @param payment the pspReference of the disputed payment
 */
record AdyenDispute(String pspReference, String payment, Amount amount, DisputeStep step) {

    AdyenDispute become(DisputeStep next) {
        return new AdyenDispute(pspReference, payment, amount, next);
    }
}
