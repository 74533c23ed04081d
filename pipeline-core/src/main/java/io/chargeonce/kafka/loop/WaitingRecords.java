// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The records of a partition that are not due yet. Guarded by its partition's lock.
 *
 * <p>Fetched records leave strictly in offset order, so that a key's order is kept even where the log's timestamps jump back. Given-back
 * records leave by their own due time: each is already the first of its key.
 */
final class WaitingRecords {
    private final Deque<HeldRecord> fetched = new ArrayDeque<>();
    private final Queue<HeldRecord> givenBack = new PriorityQueue<>(Comparator.comparing((HeldRecord held) -> held.due));

    void addFetched(HeldRecord held) {
        fetched.addLast(held);
    }

    void addGivenBack(HeldRecord held) {
        givenBack.add(held);
    }

    /** Returns how many it took. */
    int takeDue(Instant now, Consumer<HeldRecord> fetchedAndDue, Consumer<HeldRecord> givenBackAndDue) {
        int taken = 0;
        for (; isDue(givenBack, now); taken++) {
            givenBackAndDue.accept(givenBack.remove());
        }
        for (; isDue(fetched, now); taken++) {
            fetchedAndDue.accept(fetched.remove());
        }
        return taken;
    }

    Optional<Instant> nextDue() {
        return Stream.of(fetched, givenBack)
                .flatMap(queue -> Optional.ofNullable(queue.peek()).stream())
                .map(held -> held.due)
                .min(Comparator.naturalOrder());
    }

    void clear() {
        fetched.clear();
        givenBack.clear();
    }

    private static boolean isDue(Queue<HeldRecord> queue, Instant now) {
        return !queue.isEmpty() && !queue.peek().due.isAfter(now);
    }
}
