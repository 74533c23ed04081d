// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.time.Instant;
import java.util.Optional;

/** One standard webhook. Its id is ours and never sent. */
record Notification(String id, String eventCode, String pspReference, Optional<String> originalReference,
        String merchantReference, Amount amount, Instant at, boolean success, String reason, String paymentMethod) {}
