// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.turns.FairLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What waits for a {@link Coalescer}'s writers, in a line for each merchant or whom else it belongs to. A batch takes one of each
 * line in turn. While there are several, none fills a batch: the longer the batch, the longer all others wait for its commit. A lone
 * one may have all room and all batches. Any thread.
 */
final class FairQueue<T> {

    /** So long after two were here, either may come again. */
    private static final Duration SHARED_FOR = Duration.ofSeconds(1);
    private static final int MOST_SIGNALS = 64;
    private static final Duration LONGEST_NAP = Duration.ofHours(1);

    private final int room;
    private final FairLines<T> lines = new FairLines<>();
    private final Semaphore arrivals = new Semaphore(0);
    private Optional<Object> lastShare = Optional.empty();
    private Optional<Long> sharedAtNanos = Optional.empty();

    /** @param room for so many, over all lines */
    FairQueue(int room) {
        this.room = room;
    }

    /** @return what found no room, if there is none: the last of the longest line, or the item itself if its own is the longest */
    Optional<T> offer(Object share, T item) {
        Optional<T> out;
        synchronized (this) {
            if (lastShare.filter(last -> !last.equals(share)).isPresent()) {
                sharedAtNanos = Optional.of(System.nanoTime());
            }
            lastShare = Optional.of(share);
            out = lines.size() < room ? Optional.empty() : lines.takeLastOfLongerThan(share).or(() -> Optional.of(item));
            if (!out.equals(Optional.of(item))) {
                lines.add(share, item);
            }
        }
        // More than there are writers wake nobody else.
        if (arrivals.availablePermits() < MOST_SIGNALS) {
            arrivals.release();
        }
        return out;
    }

    synchronized Optional<T> first(Object share) {
        return lines.first(share);
    }

    synchronized boolean remove(Object share, T item) {
        return lines.remove(share, item);
    }

    synchronized int size() {
        return lines.size();
    }

    /** The next in turn; waits for it. */
    T take() throws InterruptedException {
        Optional<T> next = poll();
        while (next.isEmpty()) {
            arrivals.tryAcquire(LONGEST_NAP.toMillis(), TimeUnit.MILLISECONDS);
            next = poll();
        }
        return next.get();
    }

    private synchronized Optional<T> poll() {
        return lines.take();
    }

    /**
     * At most so many, one of each line in turn, and while there are several lines no more of each than that. Each is in the list as
     * soon as it has left the queue, so that its caller is known whatever is thrown at the next.
     */
    synchronized void takeInto(List<T> taken, int most, int mostOfOne) {
        boolean shared = isShared();
        var ofEach = new HashMap<Object, Integer>();
        boolean more = true;
        for (int i = 0; more && i < most; i++) {
            more = lines.take(share -> !shared || ofEach.merge(share, 1, Integer::sum) <= mostOfOne).map(taken::add).orElse(false);
        }
    }

    private boolean isShared() {
        return lines.lines() > 1 || sharedAtNanos.filter(at -> System.nanoTime() - at < SHARED_FOR.toNanos()).isPresent();
    }

    synchronized List<T> takeAll() {
        var all = new ArrayList<T>();
        while (lines.size() > 0) {
            lines.take().ifPresent(all::add);
        }
        return all;
    }
}
