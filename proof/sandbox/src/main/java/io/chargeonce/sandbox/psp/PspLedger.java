// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A PSP's append-only record of requests and of money moved, with its keys and its objects. What is committed is in the journal
 * first. Any thread may read; a thread that changes a payment holds its lock (see {@link LockStripes}).
 */
public final class PspLedger<C extends PspChange, A> implements AutoCloseable {
    /**
     * One request with all that came of it, or a change that happened by itself: the unit that is written, and after a restart read
     * again.
     */
    record Line<C extends PspChange, A>(Optional<LoggedRequest> request, Optional<C> change, Optional<Keys.FrozenAnswer<A>> frozen) {}

    private final PspObjects<C> objects;
    private final Keys<A> keys;
    private final List<Movement> movements = new ArrayList<>();
    private final List<LoggedRequest> requests = new ArrayList<>();
    private final Journal<Line<C, A>> journal;

    /**
     * Reads the journal, if there is one.
     *
     * @param name        of the journal's file
     * @param directory   where the journal is kept; in memory without one
     * @param keyLifetime how long an idempotency key is remembered
     */
    public PspLedger(String name, Optional<Path> directory, Duration keyLifetime, PspObjects<C> objects, Class<C> change, Class<A> answer) {
        this.objects = objects;
        this.keys = new Keys<>(keyLifetime);
        SandboxJson.Lines<Line<C, A>> json = SandboxJson.Lines.of(Line.class, change, answer);
        this.journal = directory.<Journal<Line<C, A>>>map(path -> FileJournal.open(path, name, json, this::apply))
                .orElseGet(Journal.InMemory::new);
    }

    /** A request that changed nothing. */
    void log(LoggedRequest request) {
        commit(new Line<>(Optional.of(request), Optional.empty(), Optional.empty()));
    }

    /** What happens without a request. */
    public void commit(C change) {
        commit(new Line<>(Optional.empty(), Optional.of(change), Optional.empty()));
    }

    void commit(Line<C, A> line) {
        byte[] encoded = journal.encode(line);
        synchronized (this) {
            journal.append(encoded);
            apply(line);
        }
    }

    private synchronized void apply(Line<C, A> line) {
        line.request().ifPresent(requests::add);
        line.change().ifPresent(objects::apply);
        line.change().flatMap(PspChange::movement).ifPresent(movements::add);
        line.frozen().ifPresent(keys::freeze);
    }

    Keys<A> keys() {
        return keys;
    }

    /** Up to {@code limit} movements, oldest first, after the first {@code from}. */
    public synchronized List<Movement> movements(int from, int limit) {
        return page(movements, from, limit);
    }

    /** Up to {@code limit} requests, oldest first, after the first {@code from}. */
    synchronized List<LoggedRequest> requests(int from, int limit) {
        return page(requests, from, limit);
    }

    static <T> List<T> page(List<T> all, int from, int limit) {
        int start = Math.min(from, all.size());
        return List.copyOf(all.subList(start, (int) Math.min((long) start + limit, all.size())));
    }

    synchronized Counts counts() {
        return Counts.of(objects.statuses(), movements, requests.size(), keys.count());
    }

    /** Forgets everything, in the journal too. */
    synchronized void clear() {
        journal.erase();
        objects.clear();
        movements.clear();
        requests.clear();
        keys.clear();
    }

    @Override
    public synchronized void close() {
        journal.close();
    }
}
