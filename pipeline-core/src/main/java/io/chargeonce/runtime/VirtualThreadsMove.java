// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tells when virtual threads get no turn any more: a few threads carry them all, and where each of those is held by code that
 * neither ends nor lets go, everything stands still and nothing fails. Being asked starts one that has nothing to do, unless
 * an earlier one still waits. Any platform thread may ask.
 */
final class VirtualThreadsMove implements HealthCheck {
    private static final Duration TOO_LONG = Duration.ofSeconds(30);

    private final InstantSource clock;
    private final AtomicReference<Optional<Instant>> waitingSince = new AtomicReference<>(Optional.empty());

    VirtualThreadsMove(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public Optional<String> problem() {
        Instant now = clock.instant();
        Optional<Instant> before = waitingSince.getAndUpdate(since -> since.or(() -> Optional.of(now)));
        if (before.isEmpty()) {
            Thread.ofVirtual().name("canary").start(() -> waitingSince.set(Optional.empty()));
        }
        return before.filter(since -> since.plus(TOO_LONG).isBefore(now)).map(since -> "no virtual thread got a turn since " + since);
    }
}
