// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles requests that failed authentication: counts them, logs one now and then, and delays the answer the more, the more failures came
 * from the same {@linkplain ClientNetwork address}. Only failures wait, so a good credential is never slower, not even from that address.
 * What is remembered, and how many wait, is bounded. Any thread.
 */
public final class AuthenticationFailures {

    /** How a failed request waits; in tests it does not. */
    public interface Pause {
        void of(Duration delay);
    }

    private static final Logger LOG = LoggerFactory.getLogger(AuthenticationFailures.class);
    private static final Duration LOG_EVERY = Duration.ofSeconds(10);
    private static final Duration WINDOW = Duration.ofMinutes(1);
    /** A mistyped token is no attack. */
    private static final int FREE = 5;
    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int MOST_ADDRESSES = 10_000;
    /**
     * A waiting request holds a connection. Requests beyond this number are answered at once, so that failures keep out no other client.
     */
    private static final int MOST_WAITING = 100;
    private static final int MOST_WAITING_OF_ONE = 4;

    private record Window(Instant since, int failures, int waiting) {}

    private final String door;
    private final MeterRegistry meters;
    private final InstantSource clock;
    private final Pause pause;
    private final LogBudget lines;
    private final Semaphore places = new Semaphore(MOST_WAITING);
    private final Map<ClientNetwork, Window> windows = new ConcurrentHashMap<>();
    private Instant nextForgetting = Instant.MIN;

    /** @param door the entry point, as the meter names it */
    public AuthenticationFailures(String door, MeterRegistry meters) {
        this(door, meters, new SteadyClock(), AuthenticationFailures::sleep);
    }

    public AuthenticationFailures(String door, MeterRegistry meters, InstantSource clock, Pause pause) {
        this.door = door;
        this.meters = meters;
        this.clock = clock;
        this.pause = pause;
        this.lines = new LogBudget(LOG_EVERY, clock);
        counted("unauthenticated", 0);
    }

    /**
     * Returns when the answer may be sent.
     *
     * @param why   a word from a fixed set
     * @param named what the log may show of the credential: never the secret itself
     */
    public void failed(String why, InetAddress client, Optional<String> named) {
        counted(why, 1);
        log(why, client, named);
        ClientNetwork network = ClientNetwork.of(client);
        Duration delay = begin(network);
        if (delay.isPositive() && places.tryAcquire()) {
            try {
                pause.of(delay);
            } finally {
                places.release();
                end(network);
            }
        } else if (delay.isPositive()) {
            end(network);
        }
    }

    private void counted(String why, int more) {
        meters.counter("chargeonce.authentication.failures", "door", door, "why", why).increment(more);
    }

    /** Not for each failure of a flood from new addresses, because it scans all that are remembered. */
    private synchronized void forget(Instant now) {
        if (!now.isBefore(nextForgetting)) {
            windows.values().removeIf(window -> isOver(window, now));
            nextForgetting = now.plusSeconds(1);
        }
    }

    private void log(String why, InetAddress client, Optional<String> named) {
        lines.take("").ifPresent(more -> LOG.warn("{}: a request from {} was refused: {}{}{}", door, client.getHostAddress(), why,
                named.map(" (digest %s)"::formatted).orElse(""), more));
    }

    /** Counts the failure and returns how long it has to wait; {@link #end} follows. */
    private Duration begin(ClientNetwork client) {
        Instant now = clock.instant();
        if (windows.size() >= MOST_ADDRESSES && !windows.containsKey(client)) {
            forget(now);
            if (windows.size() >= MOST_ADDRESSES) {
                return Duration.ZERO;
            }
        }
        Duration[] delay = {Duration.ZERO};
        windows.compute(client, (address, window) -> {
            Window open = window == null || isOver(window, now) ? new Window(now, 0, 0) : window;
            delay[0] = open.waiting() < MOST_WAITING_OF_ONE ? delay(open.failures()) : Duration.ZERO;
            return new Window(open.since(), open.failures() + 1, open.waiting() + (delay[0].isPositive() ? 1 : 0));
        });
        return delay[0];
    }

    private static boolean isOver(Window window, Instant now) {
        return window.waiting() == 0 && !now.isBefore(window.since().plus(WINDOW));
    }

    private void end(ClientNetwork client) {
        windows.computeIfPresent(client, (address, window) -> new Window(window.since(), window.failures(), window.waiting() - 1));
    }

    private static Duration delay(int before) {
        if (before < FREE) {
            return Duration.ZERO;
        }
        Duration doubled = FIRST.multipliedBy(1L << Math.min(before - FREE, 10));
        return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }

    private static void sleep(Duration delay) {
        try {
            Thread.sleep(delay);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
