// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/**
 * Which partitions hold records that do not fit into memory. A small batch may be very large once it is unpacked, and the error does not
 * say whose it is. So the next consumer reads one partition at a time, until the error comes again. That partition is then left out, and
 * tried again now and then. Outlives a consumer. Only the poll thread changes it; any thread may read the problem.
 */
final class TooLargeToRead {
    private static final Backoff LEFT_OUT = new Backoff(Duration.ofMinutes(1), Duration.ofMinutes(30));
    /** In this time the records of a partition come, if it has any. */
    private static final Duration ALONE = Duration.ofSeconds(2);
    /** A partition that was tried again for this long is readable, even if it has no records. */
    private static final Duration TRIED_FOR = Duration.ofMinutes(1);

    private record Refusal(int times, Instant again) {}

    private final Map<String, Refusal> leftOut = new TreeMap<>();
    /** The first of them is read alone. */
    private final Deque<TopicPartition> suspects = new ArrayDeque<>();
    private Optional<Instant> aloneSince = Optional.empty();

    /**
     * There was no memory for what a poll had fetched. Returns the partition that is left out from now on; empty if it has to be found
     * first.
     *
     * @param assigned all that might have been fetched
     */
    synchronized Optional<TopicPartition> noMemoryFor(Collection<TopicPartition> assigned, Instant now) {
        boolean wasAlone = !suspects.isEmpty() && assigned.contains(suspects.getFirst());
        if (!wasAlone) {
            suspects.clear();
            assigned.stream().filter(partition -> !isLeftOut(partition, now))
                    .sorted(Comparator.comparing((TopicPartition partition) -> !leftOut.containsKey(partition.toString()))
                            .thenComparing(TopicPartition::toString))
                    .forEach(suspects::add);
        }
        if (!wasAlone && suspects.size() != 1) {
            return Optional.empty();
        }
        TopicPartition found = next();
        int times = Optional.ofNullable(leftOut.get(found.toString())).map(Refusal::times).orElse(0) + 1;
        leftOut.put(found.toString(), new Refusal(times, now.plus(LEFT_OUT.after(times))));
        return Optional.of(found);
    }

    private TopicPartition next() {
        aloneSince = Optional.empty();
        return suspects.removeFirst();
    }

    private boolean isLeftOut(TopicPartition partition, Instant now) {
        return Optional.ofNullable(leftOut.get(partition.toString())).filter(refusal -> now.isBefore(refusal.again())).isPresent();
    }

    /** Whether records of this partition may be fetched now. */
    synchronized boolean mayBeFetched(TopicPartition partition, Instant now) {
        return !isLeftOut(partition, now) && (suspects.isEmpty() || suspects.getFirst().equals(partition));
    }

    /** Whether there is nothing to find and nothing left out, as mostly. */
    synchronized boolean isQuiet() {
        return suspects.isEmpty() && leftOut.isEmpty();
    }

    /**
     * A poll went well.
     *
     * @param fetched  partitions that had records
     * @param assigned those that are ours, and that nothing else keeps from being fetched
     */
    synchronized void polled(Set<TopicPartition> fetched, Set<TopicPartition> assigned, Instant now) {
        fetched.forEach(partition -> leftOut.remove(partition.toString()));
        leftOut.values().removeIf(refusal -> now.isAfter(refusal.again().plus(TRIED_FOR)));
        if (suspects.isEmpty()) {
            return;
        }
        TopicPartition alone = suspects.getFirst();
        // One that is not ours any more has its time too.
        if (!assigned.isEmpty() && aloneSince.isEmpty()) {
            aloneSince = Optional.of(now);
        }
        if (fetched.contains(alone) || aloneSince.filter(since -> now.isAfter(since.plus(ALONE))).isPresent()) {
            next();
        }
    }

    /** In one line; empty if nothing is wrong. */
    synchronized Optional<String> problem() {
        return leftOut.isEmpty() ? Optional.empty() : Optional.of(leftOut.keySet().stream().collect(Collectors.joining(", ",
                "", " can't be read: its next records do not fit into memory")));
    }
}
