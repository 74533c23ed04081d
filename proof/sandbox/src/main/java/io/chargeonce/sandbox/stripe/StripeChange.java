// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspChange;
import java.util.Optional;

/** What one executed request changes; all of it becomes visible, or none. */
record StripeChange(Optional<PaymentIntent> intent, Optional<StripeCharge> charge, Optional<StripeRefund> refund,
        Optional<Movement> movement, Optional<StripeDispute> dispute)
        implements
            PspChange {
    StripeChange(Optional<PaymentIntent> intent, Optional<StripeCharge> charge, Optional<StripeRefund> refund,
                 Optional<Movement> movement) {
        this(intent, charge, refund, movement, Optional.empty());
    }

    static StripeChange of(PaymentIntent intent) {
        return new StripeChange(Optional.of(intent), Optional.empty(), Optional.empty(), Optional.empty());
    }

    static StripeChange of(StripeDispute dispute) {
        return new StripeChange(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(dispute));
    }
}
