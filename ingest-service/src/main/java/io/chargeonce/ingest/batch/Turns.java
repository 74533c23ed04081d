// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.batch;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs work in parallel, but work that shares a turn one after the other, in the order in which the turns were taken. One thread takes
 * turns; each piece of work has a virtual thread of its own.
 */
final class Turns {

    private final Map<Object, CompletableFuture<?>> last = new ConcurrentHashMap<>();
    private final Executor threads;

    /** @param name of the threads that work */
    Turns(String name) {
        threads = work -> Thread.ofVirtual().name(name).start(work);
    }

    /** Begins the work when all earlier work with one of these turns has ended, with success or not. */
    <T> CompletableFuture<T> take(Set<Object> turns, Supplier<T> work) {
        CompletableFuture<?>[] before =
                turns.stream().map(last::get).filter(Objects::nonNull).toArray(CompletableFuture[]::new);
        CompletableFuture<T> mine = CompletableFuture.allOf(before).handleAsync((done, failed) -> work.get(), threads);
        turns.forEach(turn -> last.put(turn, mine));
        var unused = mine.whenComplete((done, failed) -> turns.forEach(turn -> last.remove(turn, mine)));
        return mine;
    }
}
