// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relay's producer. It is created when needed, and replaced when it has failed for good or when Kafka has taken nothing from it for
 * long. For the relay's thread; any thread may read the problem.
 */
final class RelayProducer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RelayProducer.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    /** Twice the longest duration of a send. A new producer may succeed where this one does not. */
    private static final Duration GIVEN_UP_AFTER = Duration.ofSeconds(60);
    private static final Duration WORTH_TELLING_AFTER = Duration.ofSeconds(10);
    private static final Duration TO_CLOSE = Duration.ofSeconds(5);

    private record Trouble(long sinceNanos, String why) {}

    private final Supplier<Producer<byte[], byte[]>> maker;
    private final Counter replaced;
    private Optional<Producer<byte[], byte[]>> current = Optional.empty();
    private Duration pause = FIRST_PAUSE;
    private long notBefore = System.nanoTime();
    private long giveUpAt;
    private volatile Optional<Trouble> trouble = Optional.empty();

    RelayProducer(Supplier<Producer<byte[], byte[]>> maker, MeterRegistry meters) {
        this.maker = maker;
        this.replaced = meters.counter("chargeonce.relay.producers.replaced");
    }

    /** Empty until the pause after a failure is over. */
    Optional<Producer<byte[], byte[]>> get() {
        if (current.isEmpty() && System.nanoTime() - notBefore >= 0) {
            try {
                current = Optional.of(maker.get());
            } catch (RuntimeException e) {
                replace(e);
            }
        }
        return current;
    }

    void acknowledged() {
        pause = FIRST_PAUSE;
        trouble = Optional.empty();
    }

    /** Returns whether the producer is given up because of it. */
    boolean tookNothing(Throwable why) {
        long now = System.nanoTime();
        if (trouble.isEmpty()) {
            giveUpAt = now + GIVEN_UP_AFTER.toNanos();
        }
        remember(why);
        boolean forLong = now - giveUpAt >= 0;
        if (forLong) {
            replace(why);
        }
        return forLong;
    }

    /** Sends under way may or may not reach Kafka; their rows stay staged. */
    void replace(Throwable why) {
        LOG.warn("The relay gives up its producer and makes a new one in {}; staged rows stay staged: {}", pause, why.toString());
        remember(why);
        close(Duration.ZERO);
        replaced.increment();
        long now = System.nanoTime();
        notBefore = now + pause.toNanos();
        giveUpAt = now + GIVEN_UP_AFTER.toNanos();
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
    }

    private void remember(Throwable why) {
        trouble = Optional.of(new Trouble(trouble.map(Trouble::sinceNanos).orElseGet(System::nanoTime), why.toString()));
    }

    /** What is wrong, in one line, once it lasts; empty while Kafka takes records. */
    Optional<String> problem() {
        return trouble.filter(one -> System.nanoTime() - one.sinceNanos >= WORTH_TELLING_AFTER.toNanos())
                .map(one -> "Kafka has taken nothing for %d s: %s".formatted(
                        Duration.ofNanos(System.nanoTime() - one.sinceNanos).toSeconds(), one.why));
    }

    private void close(Duration patience) {
        current.ifPresent(producer -> {
            try {
                producer.close(patience);
            } catch (RuntimeException e) {
                LOG.warn("The relay's old producer did not close well: {}", e.toString());
            }
        });
        current = Optional.empty();
    }

    @Override
    public void close() {
        close(TO_CLOSE);
    }
}
