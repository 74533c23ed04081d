// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The endpoints with a secret that cannot be opened. Each is remembered until its own secrets are opened: what another endpoint signs says
 * nothing about it. Any thread.
 */
final class UnreadableSecrets {

    /** More are not told apart: the key is the wrong one. */
    private static final int MOST = 1_000;
    /** What waits for such an endpoint is tried each minute. One that was removed or disabled is tried no more. */
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private record Trouble(String why, Instant seen) {}

    private final InstantSource clock;
    private final Map<String, Trouble> byEndpoint = new LinkedHashMap<>();

    UnreadableSecrets(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void add(String endpoint, String why) {
        if (byEndpoint.size() < MOST || byEndpoint.containsKey(endpoint)) {
            byEndpoint.put(endpoint, new Trouble(why, clock.instant()));
        }
    }

    /** All secrets of this endpoint can be opened. */
    synchronized void opened(String endpoint) {
        byEndpoint.remove(endpoint);
    }

    /** In one line; empty if there is none. */
    synchronized Optional<String> problem() {
        Instant old = clock.instant().minus(REMEMBERED);
        byEndpoint.values().removeIf(trouble -> trouble.seen.isBefore(old));
        return byEndpoint.entrySet().stream().findFirst().map(one -> "the secret of endpoint %s%s cannot be opened: %s".formatted(
                one.getKey(), byEndpoint.size() == 1 ? "" : " (and of %d others)".formatted(byEndpoint.size() - 1), one.getValue().why));
    }
}
