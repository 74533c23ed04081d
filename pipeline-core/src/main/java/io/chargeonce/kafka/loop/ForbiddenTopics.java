// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The topics that Kafka does not let us read. One of them would keep a consumer from all others, so it is left out for a while and then
 * tried again. Outlives a consumer. Only the poll thread changes it; any thread may read the problem.
 */
final class ForbiddenTopics {
    private static final Backoff LEFT_OUT = new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(5));

    /** A topic that was subscribed for this long without a refusal is readable. */
    private static final Duration TRIED_FOR = Duration.ofMinutes(1);

    private record Refusal(int times, Instant again) {}

    private final Set<String> all;
    private final InstantSource clock;
    private final Map<String, Refusal> refusals = new TreeMap<>();

    ForbiddenTopics(Set<String> all, InstantSource clock) {
        this.all = all;
        this.clock = clock;
    }

    /** The topics to subscribe to now: all but those left out, and never an empty set. */
    synchronized Set<String> allowed() {
        Instant now = clock.instant();
        refusals.values().removeIf(refusal -> now.isAfter(refusal.again().plus(TRIED_FOR)));
        Set<String> allowed = new TreeSet<>(all);
        allowed.removeIf(topic -> Optional.ofNullable(refusals.get(topic)).filter(refusal -> now.isBefore(refusal.again())).isPresent());
        return allowed.isEmpty() ? all : allowed;
    }

    /** True if some topics remain that can be read. */
    synchronized boolean refused(Collection<String> topics) {
        Instant now = clock.instant();
        all.stream().filter(topics::contains).forEach(topic -> {
            int times = Optional.ofNullable(refusals.get(topic)).map(Refusal::times).orElse(0) + 1;
            refusals.put(topic, new Refusal(times, now.plus(LEFT_OUT.after(times))));
        });
        return refusals.size() < all.size();
    }

    synchronized void readable(String topic) {
        refusals.remove(topic);
    }

    /** In one line; empty if nothing is wrong. */
    synchronized Optional<String> problem() {
        return refusals.isEmpty() ? Optional.empty() : Optional.of("Kafka does not let it read " + String.join(", ", refusals.keySet())
                + ": grant its principal READ and DESCRIBE on them; it tries again every few minutes");
    }
}
