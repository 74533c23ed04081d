// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspChange;
import java.util.Optional;

/** What one request, one execution or one delivery changes; all of it becomes visible, or none. */
record AdyenChange(Optional<AdyenPayment> payment, Optional<Modification> modification, Optional<Movement> movement,
        Optional<Notification> notification, Optional<String> delivered, Optional<AdyenDispute> dispute)
        implements
            PspChange {
    AdyenChange(Optional<AdyenPayment> payment, Optional<Modification> modification, Optional<Movement> movement,
                Optional<Notification> notification, Optional<String> delivered) {
        this(payment, modification, movement, notification, delivered, Optional.empty());
    }

    static AdyenChange received(Modification modification) {
        return new AdyenChange(Optional.empty(), Optional.of(modification), Optional.empty(), Optional.empty(), Optional.empty());
    }

    static AdyenChange notified(Notification notification) {
        return new AdyenChange(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(notification), Optional.empty());
    }

    static AdyenChange disputed(AdyenDispute dispute, Notification notification) {
        return new AdyenChange(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(notification), Optional.empty(),
                Optional.of(dispute));
    }

    static AdyenChange delivered(Notification notification) {
        return new AdyenChange(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(notification.id()));
    }
}
