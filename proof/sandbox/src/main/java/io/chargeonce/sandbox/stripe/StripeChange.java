// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspChange;
import java.util.Optional;

/**
 * What one executed request changes, or one step of a dispute, or one delivery; all of it becomes visible, or none.
 *
 * @param delivered the id of an event that was taken
 */
record StripeChange(Optional<PaymentIntent> intent, Optional<StripeCharge> charge, Optional<StripeRefund> refund,
        Optional<Movement> movement, Optional<StripeDispute> dispute, Optional<StripeWebhooks.Event> event, Optional<String> delivered)
        implements
            PspChange {
    StripeChange(Optional<PaymentIntent> intent, Optional<StripeCharge> charge, Optional<StripeRefund> refund,
                 Optional<Movement> movement) {
        this(intent, charge, refund, movement, Optional.empty(), Optional.empty(), Optional.empty());
    }

    static StripeChange of(PaymentIntent intent) {
        return new StripeChange(Optional.of(intent), Optional.empty(), Optional.empty(), Optional.empty());
    }

    static StripeChange of(StripeDispute dispute, Optional<StripeWebhooks.Event> event) {
        return new StripeChange(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(dispute), event,
                Optional.empty());
    }

    static StripeChange delivered(StripeWebhooks.Event event) {
        return new StripeChange(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.of(event.id()));
    }
}
