// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Movement;
import io.chargeonce.sandbox.psp.PspChange;
import java.util.Optional;

/** What one request, one execution or one delivery changes; all of it becomes visible, or none. */
record Change(Optional<Payment> payment, Optional<Modification> modification, Optional<Movement> movement,
        Optional<Notification> notification, Optional<String> delivered)
        implements
            PspChange {
    static Change received(Modification modification) {
        return new Change(Optional.empty(), Optional.of(modification), Optional.empty(), Optional.empty(), Optional.empty());
    }

    static Change notified(Notification notification) {
        return new Change(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(notification), Optional.empty());
    }

    static Change delivered(Notification notification) {
        return new Change(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(notification.id()));
    }
}
