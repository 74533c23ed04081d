// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Instant;
import java.util.Optional;

/** One request that reached the simulator, and what became of it. The fault, if any, is the one that a rule injected. */
public record LoggedRequest(Instant at, String method, String path, Optional<String> idempotencyKey, int status,
        Handling fate, Optional<String> fault) {
    /** EXECUTED changed or read something; REPLAYED repeated a frozen answer; the others did nothing at all. */
    public enum Handling {
        EXECUTED, REPLAYED, REFUSED
    }
}
