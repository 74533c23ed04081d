// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.session;

import io.chargeonce.console.answer.Problems;
import io.chargeonce.runtime.ClientNetwork;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/** Bounds the sign-ins that fail: per network and in all, so that Postgres is not asked about guesses for ever. Any thread. */
final class SignInLimit {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_OF_ONE = 10;
    private static final int MOST_OF_ALL = 100;
    private static final int MOST_NETWORKS = 10_000;

    private record Window(Instant since, int failures) {}

    private final InstantSource clock;
    private final Map<ClientNetwork, Window> windows = new HashMap<>();
    private Window all = new Window(Instant.MIN, 0);

    /** @param clock a steady one */
    SignInLimit(InstantSource clock) {
        this.clock = clock;
    }

    /** @throws io.chargeonce.console.answer.Refusal if too many have failed within the last minute */
    synchronized void check(ClientNetwork client) {
        Instant now = clock.instant();
        windows.values().removeIf(window -> isOver(window, now));
        Window own = windows.get(client);
        if (own != null && own.failures >= MOST_OF_ONE) {
            throw Problems.tooManyFailures(Duration.between(now, own.since.plus(WINDOW))).refusal();
        }
        boolean full = !isOver(all, now) && all.failures >= MOST_OF_ALL || own == null && windows.size() >= MOST_NETWORKS;
        if (full) {
            throw Problems.tooManyFailures(WINDOW).refusal();
        }
    }

    synchronized void failed(ClientNetwork client) {
        Instant now = clock.instant();
        windows.compute(client, (network, window) -> more(window, now));
        all = more(all, now);
    }

    private static Window more(Window window, Instant now) {
        return window == null || isOver(window, now) ? new Window(now, 1) : new Window(window.since, window.failures + 1);
    }

    private static boolean isOver(Window window, Instant now) {
        return window.failures == 0 || !now.isBefore(window.since.plus(WINDOW));
    }
}
