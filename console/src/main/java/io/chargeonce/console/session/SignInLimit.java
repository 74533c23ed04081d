// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.session;

import io.chargeonce.console.answer.ConsoleProblems;
import io.chargeonce.runtime.ClientNetwork;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Bounds the sign-ins that fail, so that Postgres is not asked about guesses for ever: those of one login from one network, and all. Behind
 * a proxy that was not named all people come from one network, so failures count for their login alone; and who has signed in from there
 * before is let through when others' guesses are too many. Any thread.
 */
final class SignInLimit {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_OF_ONE = 10;
    private static final int MOST_OF_ALL = 100;
    private static final int MOST_KNOWN = 1_000;

    /** Who tries to sign in. */
    record Client(String login, ClientNetwork network) {}

    private record Window(Instant since, int failures) {}

    private final InstantSource clock;
    private final Map<Client, Window> windows = new HashMap<>();
    /** The one that signed in longest ago comes first. */
    private final Set<Client> known = new LinkedHashSet<>();
    private Window all = new Window(Instant.MIN, 0);

    /** @param clock a steady one */
    SignInLimit(InstantSource clock) {
        this.clock = clock;
    }

    /** @throws io.chargeonce.console.answer.Refusal if too many have failed within the last minute */
    synchronized void check(Client client) {
        Instant now = clock.instant();
        windows.values().removeIf(window -> isOver(window, now));
        Window own = windows.get(client);
        if (own != null && own.failures >= MOST_OF_ONE) {
            throw ConsoleProblems.tooManyFailures(Duration.between(now, own.since.plus(WINDOW))).refusal();
        }
        if (!isOver(all, now) && all.failures >= MOST_OF_ALL && !known.contains(client)) {
            throw ConsoleProblems.tooManyFailures(WINDOW).refusal();
        }
    }

    synchronized void failed(Client client) {
        Instant now = clock.instant();
        windows.compute(client, (same, window) -> more(window, now));
        all = more(all, now);
    }

    synchronized void signedIn(Client client) {
        known.remove(client);
        known.add(client);
        if (known.size() > MOST_KNOWN) {
            known.remove(known.iterator().next());
        }
    }

    private static Window more(Window window, Instant now) {
        return window == null || isOver(window, now) ? new Window(now, 1) : new Window(window.since, window.failures + 1);
    }

    private static boolean isOver(Window window, Instant now) {
        return window.failures == 0 || !now.isBefore(window.since.plus(WINDOW));
    }
}
