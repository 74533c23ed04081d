package io.chargeonce.database;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats an ask while Postgres is away, for work that must not be dropped half-way: our own trouble is never a
 * payment's failure. The ask must recognise its own earlier success. Blocks its thread; an interruption ends it.
 */
public final class Patiently {

    private static final Logger LOG = LoggerFactory.getLogger(Patiently.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private Patiently() {}

    /** @throws DatabaseUnavailable when interrupted while Postgres is still away */
    public static <T> T ask(Supplier<T> ask) {
        Duration pause = Duration.ofMillis(20);
        while (true) {
            try {
                return ask.get();
            } catch (DatabaseUnavailable | Coalescer.Overloaded e) {
                LOG.debug("asking again in {}: {}", pause, e.getMessage());
                try {
                    Thread.sleep(pause);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw e;
                }
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        }
    }
}
