// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Detects that virtual threads no longer run. A few carrier threads run them all, and if code blocks each carrier for ever, everything
 * stands still and nothing fails. Each check starts a virtual thread that does nothing, unless an earlier one still waits. Any platform
 * thread may call it.
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
        return before.filter(since -> since.plus(TOO_LONG).isBefore(now)).map(since -> "no virtual thread has run since " + since);
    }
}
