// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.Backoff;
import io.chargeonce.kafka.LogLimit;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of a loop: a limited number of records are in the handler at once, each on a virtual thread, and shares take turns. Any thread.
 *
 * <p>A virtual thread that finished a record continues with the next one that may run, so no record waits until the poll thread notices.
 */
final class Workers {
    /** A longer wait is cut to this, and the handler is called again after it. So no wrong clock can bury a record. */
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final Backoff AFTER_FAILURE = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    private static final Logger log = LoggerFactory.getLogger(Workers.class);

    private final String loop;
    private final BooleanSupplier held;
    private final RecordHandler handler;
    private final InstantSource clock;
    private final LoopMeters meters;
    private final LogLimit logLimit;
    private final ReadyRecords ready;
    private final AtomicInteger withHandler = new AtomicInteger();
    /** When the handler last returned from a record, or got one while it had none. */
    private volatile Instant lastAnswer = Instant.MIN;

    Workers(LoopSettings settings, RecordHandler handler, InstantSource clock, LoopMeters meters) {
        this.loop = settings.name();
        this.held = settings.held();
        this.handler = handler;
        this.clock = clock;
        this.meters = meters;
        this.logLimit = new LogLimit(clock, Duration.ofSeconds(1));
        this.ready = new ReadyRecords(settings.maxInFlight(), settings.mostPerSecond(), clock);
    }

    /** A record whose share cannot be determined has none. No content of a record may stop the poll thread. */
    String shareOf(ConsumerRecord<byte[], byte[]> record) {
        try {
            return handler.shareOf(record);
        } catch (RuntimeException | StackOverflowError | AssertionError bug) {
            logLimit.ifAllowed(
                    leftOut -> log.error(
                            "Bug! {}: the share of {}-{} offset {} can't be determined; the record takes its turn with those of no share",
                            loop, record.topic(), record.partition(), record.offset(), bug));
            return "";
        }
    }

    /** Drops ready records of partitions that were revoked. */
    void forgetAbandoned() {
        ready.forgetAbandoned();
    }

    /** The record is due and first of its key. It starts with the next {@link #startWhatFits}. */
    void offer(HeldRecord held) {
        ready.add(held);
    }

    void startWhatFits() {
        for (Optional<HeldRecord> next = nextToStart(); next.isPresent(); next = nextToStart()) {
            HeldRecord first = next.get();
            Thread.ofVirtual().name(loop + "-worker").start(() -> work(first));
        }
    }

    /**
     * Hands a record that seems stuck to the handler a second time, on a thread beside the slots. The first call that returns counts. The
     * stuck thread keeps its slot until it returns.
     */
    void handAgain(HeldRecord stuck) {
        meters.handedAgain();
        logLimit.ifAllowed(leftOut -> log.warn(
                "{}: {} offset {} has been in the handler since {}. It is handed over a second time, so that its offset need not wait. "
                        + "{} such messages were left out",
                loop, stuck.work.partition, stuck.record.offset(), stuck.begun, leftOut));
        Thread.ofVirtual().name(loop + "-again").start(() -> {
            if (stuck.work.beginAgain(stuck, clock.instant())) {
                process(stuck).ifPresent(this::offer);
                startWhatFits();
            }
        });
    }

    int inFlight() {
        return ready.running();
    }

    /** While the handler has records: since when no call has returned, although no dependency was down. */
    Optional<Instant> silentSince() {
        if (withHandler.get() == 0) {
            return Optional.empty();
        }
        Instant answer = lastAnswer;
        return handler.waitedAgo().map(clock.instant()::minus).filter(answer::isBefore).or(() -> Optional.of(answer));
    }

    /** Records that are due and first of their key, and have no slot yet. */
    int waiting() {
        return ready.waiting();
    }

    boolean isBusy() {
        return inFlight() > 0 || waiting() > 0 && !held.getAsBoolean();
    }

    /** Continues with the next record that may start when the one before is done. */
    private void work(HeldRecord first) {
        Optional<HeldRecord> next = Optional.of(first);
        while (next.isPresent()) {
            HeldRecord held = next.get();
            try {
                if (begins(held)) {
                    process(held).ifPresent(ready::addFollower);
                }
            } finally {
                ready.ended(held);
            }
            next = nextToStart();
        }
    }

    private Optional<HeldRecord> nextToStart() {
        return held.getAsBoolean() ? Optional.empty() : ready.start();
    }

    private boolean begins(HeldRecord held) {
        Instant now = clock.instant();
        boolean begins = held.work.begin(held, now);
        if (begins) {
            meters.late(Duration.between(held.due, now));
        }
        return begins;
    }

    /**
     * Returns the record of the same key that may run next. Catches everything that the handler throws, errors too: a record whose thread
     * died unnoticed would hold its offset for ever.
     */
    private Optional<HeldRecord> process(HeldRecord held) {
        Verdict verdict;
        try {
            verdict = handle(held);
        } catch (Throwable failure) {
            return failed(held, failure);
        }
        return switch (verdict) {
            case Verdict.Done done -> {
                meters.done();
                yield held.work.complete(held);
            }
            case Verdict.NotBefore early -> {
                meters.notBefore();
                held.failures = 0;
                yield giveBack(held, early.pause().compareTo(LONGEST_WAIT) < 0 ? early.pause() : LONGEST_WAIT);
            }
        };
    }

    private Verdict handle(HeldRecord held) throws Exception {
        if (held.failures > 0) {
            meters.retried();
        }
        if (withHandler.get() == 0) {
            lastAnswer = clock.instant();
        }
        withHandler.incrementAndGet();
        try {
            return Objects.requireNonNull(handler.handle(held.record), "Bug! The handler returned null");
        } finally {
            lastAnswer = clock.instant();
            withHandler.decrementAndGet();
            // The next record on this thread must not inherit an interruption.
            Thread.interrupted();
        }
    }

    private Optional<HeldRecord> failed(HeldRecord held, Throwable failure) {
        meters.failed();
        int failures = held.failures + 1;
        held.failures = failures;
        Duration pause = AFTER_FAILURE.after(failures);
        report(held, failure, pause);
        return giveBack(held, pause);
    }

    private Optional<HeldRecord> giveBack(HeldRecord held, Duration pause) {
        held.work.giveBack(held, clock.instant().plus(pause));
        return Optional.empty();
    }

    private void report(HeldRecord held, Throwable failure, Duration pause) {
        logLimit.ifAllowed(leftOut -> log.warn(
                "{}: the handler failed on {} offset {} ({} times in a row); it gets the record again in {} ms. "
                        + "{} such messages were left out",
                loop, held.work.partition, held.record.offset(), held.failures, pause.toMillis(), leftOut, failure));
    }
}
