// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspChange;
import java.util.Optional;

/** What one executed request changes; all of it becomes visible, or none. */
record Change(Optional<PaymentIntent> intent, Optional<Charge> charge, Optional<Refund> refund, Optional<Movement> movement)
        implements
            PspChange {
    static Change of(PaymentIntent intent) {
        return new Change(Optional.of(intent), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
