// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One standard webhook. Its id is ours and never sent.
 *
 * @param more additional data
 */
record Notification(String id, String eventCode, String pspReference, Optional<String> originalReference,
        String merchantReference, Amount amount, Instant at, boolean success, String reason, String paymentMethod,
        Map<String, String> more) {

    Notification(String id, String eventCode, String pspReference, Optional<String> originalReference, String merchantReference,
                 Amount amount, Instant at, boolean success, String reason, String paymentMethod) {
        this(id, eventCode, pspReference, originalReference, merchantReference, amount, at, success, reason, paymentMethod, Map.of());
    }
}
