// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Keys;
import java.time.Instant;

/** The first answer to an idempotency key, kept for its lifetime. */
record FrozenAnswer(String key, Instant at, Answer answer) implements Keys.FirstAnswer {

    /**
     * Adyen documents that the answer to the first request is returned, and no comparison of what the requests say: a key
     * alone decides.
     */
    @Override
    public String fingerprint() {
        return "";
    }
}
