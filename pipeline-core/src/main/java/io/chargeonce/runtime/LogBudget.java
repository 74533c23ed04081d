// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps like lines from filling the log: of each kind it lets the first through, and then one in each interval, which says how many were
 * left out. Any thread.
 */
public final class LogBudget {

    private record Kind(Instant next, int leftOut) {}

    private final Duration every;
    private final InstantSource clock;
    private final Map<String, Kind> kinds = new HashMap<>();

    public LogBudget(Duration every, InstantSource clock) {
        this.every = every;
        this.clock = clock;
    }

    /**
     * @param kind one of few, because each is remembered
     * @return what to write behind the line; empty if the line is left out
     */
    public synchronized Optional<String> take(String kind) {
        Instant now = clock.instant();
        Kind last = kinds.getOrDefault(kind, new Kind(now, 0));
        if (now.isBefore(last.next)) {
            kinds.put(kind, new Kind(last.next, last.leftOut + 1));
            return Optional.empty();
        }
        kinds.put(kind, new Kind(now.plus(every), 0));
        return Optional.of(last.leftOut == 0 ? "" : "; %d more since the last of these lines".formatted(last.leftOut));
    }
}
