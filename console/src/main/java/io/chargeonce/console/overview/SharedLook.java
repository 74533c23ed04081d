// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import io.chargeonce.database.DatabaseUnavailable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One look at a time for all who want to see the same: however many people watch, Postgres counts once. One of them looks, with their own
 * login; the caller makes sure that all others may see it too. Any thread.
 */
public final class SharedLook<T> {

    /** @param took how long Postgres was busy with it */
    public record Seen<T>(T value, Duration took) {}

    private sealed interface Outcome<T> {
        record Good<T>(Seen<T> seen) implements Outcome<T> {}

        record Away<T>(DatabaseUnavailable why) implements Outcome<T> {}

        /** It says something of who looked, and nothing to the others. */
        record Failed<T>() implements Outcome<T> {}
    }

    private record Look<T>(long began, CompletableFuture<Outcome<T>> end) {

        /** The same one, and not only one that began in the same nanosecond. */
        @SuppressWarnings("ReferenceEquality")
        boolean is(Look<T> other) {
            return end == other.end;
        }
    }

    /** Under way, or the last one; null if it is of no use any more. */
    private Look<T> last;

    /**
     * @param notBefore by {@link System#nanoTime}; what was looked at since then will do
     * @param read      reads it as the caller
     */
    public Seen<T> since(long notBefore, Supplier<T> read) {
        while (true) {
            var mine = new Look<T>(System.nanoTime(), new CompletableFuture<>());
            Look<T> its = join(mine);
            if (its.is(mine)) {
                return look(mine, read);
            }
            Outcome<T> end = its.end.join();
            if (its.began - notBefore >= 0 && end instanceof Outcome.Good<T>(Seen<T> seen)) {
                return seen;
            }
            if (its.began - notBefore >= 0 && end instanceof Outcome.Away<T>(DatabaseUnavailable why)) {
                throw why;
            }
            forget(its);
        }
    }

    private synchronized Look<T> join(Look<T> mine) {
        if (last == null) {
            last = mine;
        }
        return last;
    }

    private synchronized void forget(Look<T> old) {
        if (last != null && last.is(old)) {
            last = null;
        }
    }

    private Seen<T> look(Look<T> mine, Supplier<T> read) {
        Outcome<T> end = new Outcome.Failed<>();
        try {
            T value = read.get();
            var seen = new Seen<>(value, Duration.ofNanos(System.nanoTime() - mine.began));
            end = new Outcome.Good<>(seen);
            return seen;
        } catch (DatabaseUnavailable e) {
            end = new Outcome.Away<>(e);
            throw e;
        } finally {
            mine.end.complete(end);
        }
    }
}
