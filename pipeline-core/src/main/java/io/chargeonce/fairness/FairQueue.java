// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.fairness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The requests that wait for writers of batches, in one line per share (mostly a merchant). A batch takes one request of each
 * line in turn. While there are several lines, none fills a batch: the longer the batch, the longer all others wait for its commit. A lone
 * line may have all room and all batches. Any thread.
 */
public final class FairQueue<T> {

    /** For this long after requests of two shares, both are expected to come again. */
    private static final Duration SHARED_FOR = Duration.ofSeconds(1);
    private static final int MOST_SIGNALS = 64;
    private static final Duration LONGEST_NAP = Duration.ofHours(1);

    private final int room;
    private final FairLines<T> lines = new FairLines<>();
    private final Semaphore arrivals = new Semaphore(0);
    private Optional<Object> lastShare = Optional.empty();
    private Optional<Long> sharedAtNanos = Optional.empty();

    /** @param room for how many requests, over all lines */
    public FairQueue(int room) {
        this.room = room;
    }

    /**
     * @return the item that found no room, if the queue is full: the last of the longest line, or the given item if its own line is the
     * longest
     */
    public Optional<T> offer(Object share, T item) {
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
        // More signals than there are writers would wake no further thread.
        if (arrivals.availablePermits() < MOST_SIGNALS) {
            arrivals.release();
        }
        return out;
    }

    public synchronized Optional<T> first(Object share) {
        return lines.first(share);
    }

    public synchronized boolean remove(Object share, T item) {
        return lines.remove(share, item);
    }

    public synchronized int size() {
        return lines.size();
    }

    /** Waits for the next item in turn. */
    public T take() throws InterruptedException {
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
     * Takes at most {@code most} items, one of each line in turn, and at most {@code mostOfOne} of a line while there are several. Each
     * item is in the list as soon as it left the queue, so that its caller is answered even if the next step throws.
     */
    public synchronized void takeInto(List<T> taken, int most, int mostOfOne) {
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

    public synchronized List<T> takeAll() {
        var all = new ArrayList<T>();
        while (lines.size() > 0) {
            lines.take().ifPresent(all::add);
        }
        return all;
    }
}
