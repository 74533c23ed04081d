// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.Keys;
import java.time.Instant;

/** The first answer to an idempotency key, kept for its lifetime. */
record FrozenAnswer(String key, String fingerprint, Instant at, String requestId, Answer answer)
        implements
            Keys.FirstAnswer {}
