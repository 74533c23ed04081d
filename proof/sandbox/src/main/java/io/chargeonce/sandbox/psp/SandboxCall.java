// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.time.Instant;
import java.util.Optional;

/** A request that names one of the PSP's endpoints and can be executed. Immutable. */
public interface SandboxCall<K extends SandboxCall<K>> {
    Endpoint operation();

    String method();

    String path();

    /** The idempotency key, where the client sent one and the endpoint takes one. */
    Optional<String> key();

    /** What a later call with the same key must say too; empty where the PSP compares nothing. */
    Optional<String> fingerprint();

    Instant at();

    /** The same call, executed later than it came. */
    K executedAt(Instant later);
}
