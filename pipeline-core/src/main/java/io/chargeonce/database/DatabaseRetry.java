// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a call while Postgres is down, for work that must not stop half-way: our own outage is never a payment's failure. The call must
 * recognise its own earlier success. It blocks its thread. An interrupt ends it.
 */
public final class DatabaseRetry {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseRetry.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** When a thread last began to wait here, as {@link System#nanoTime()}; 0 if none ever did. */
    private static final AtomicLong WAITED = new AtomicLong();

    private DatabaseRetry() {}

    /** How long ago a call of this process last had to wait; empty if none ever did. */
    public static Optional<Duration> waitedAgo() {
        return Optional.of(WAITED.get()).filter(last -> last != 0).map(last -> Duration.ofNanos(System.nanoTime() - last));
    }

    /**
     * @throws DatabaseRefused     if Postgres refuses it for any reason; nothing was written
     * @throws DatabaseUnavailable when interrupted while Postgres is still down
     */
    public static <T> T call(Supplier<T> call) {
        return call(call, refused -> false);
    }

    /**
     * Also repeats while another session holds a lock, or while the schema or a right is missing: for an answer that is already known and
     * must not be lost.
     *
     * @throws DatabaseRefused     if the row itself forbids it
     * @throws DatabaseUnavailable when interrupted while Postgres is still down
     */
    public static <T> T insist(Supplier<T> call) {
        return call(call, refused -> !refused.isAboutTheRow());
    }

    private static <T> T call(Supplier<T> call, Predicate<DatabaseRefused> mayBeRepeated) {
        Duration pause = Duration.ofMillis(20);
        while (true) {
            try {
                return call.get();
            } catch (DatabaseUnavailable | Coalescer.Overloaded e) {
                pause(pause, e);
            } catch (DatabaseRefused e) {
                if (!mayBeRepeated.test(e)) {
                    throw e;
                }
                pause(pause, e);
            }
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    static void noteWait() {
        WAITED.set(System.nanoTime());
    }

    private static void pause(Duration pause, RuntimeException because) {
        noteWait();
        LOG.debug("calling again in {}: {}", pause, because.getMessage());
        try {
            Thread.sleep(pause);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw because;
        }
    }
}
