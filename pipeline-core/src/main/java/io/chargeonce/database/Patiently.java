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
 * Repeats an ask while Postgres is away, for work that must not be dropped half-way: our own trouble is never a payment's failure. The ask must recognise its own earlier success. Blocks its thread; an interruption ends it.
 */
public final class Patiently {

    private static final Logger LOG = LoggerFactory.getLogger(Patiently.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** When a thread last began to wait here, as {@link System#nanoTime()}; 0 if none ever did. */
    private static final AtomicLong WAITED = new AtomicLong();

    private Patiently() {}

    /** How long ago an ask of this process was last put off, if one ever was. */
    public static Optional<Duration> waitedAgo() {
        return Optional.of(WAITED.get()).filter(last -> last != 0).map(last -> Duration.ofNanos(System.nanoTime() - last));
    }

    /**
     * @throws DatabaseRefused     for whatever reason: it left nothing behind
     * @throws DatabaseUnavailable when interrupted while Postgres is still away
     */
    public static <T> T ask(Supplier<T> ask) {
        return ask(ask, refused -> false);
    }

    /**
     * Repeats also while others are in the way, or Postgres does not fit us: for an answer that is known already and must not get lost.
     *
     * @throws DatabaseRefused     for what the row says
     * @throws DatabaseUnavailable when interrupted while Postgres is still away
     */
    public static <T> T insist(Supplier<T> ask) {
        return ask(ask, refused -> !refused.isAboutTheRow());
    }

    private static <T> T ask(Supplier<T> ask, Predicate<DatabaseRefused> mayBeRepeated) {
        Duration pause = Duration.ofMillis(20);
        while (true) {
            try {
                return ask.get();
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

    private static void noteWait() {
        WAITED.set(System.nanoTime());
    }

    private static void pause(Duration pause, RuntimeException because) {
        noteWait();
        LOG.debug("asking again in {}: {}", pause, because.getMessage());
        try {
            Thread.sleep(pause);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw because;
        }
    }
}
