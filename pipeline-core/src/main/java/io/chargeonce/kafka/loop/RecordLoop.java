// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.Backoff;
import io.chargeonce.kafka.LoopClients;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers each record of its topics to a handler at least once and skips none: a partition's committed offset never passes its lowest
 * incomplete record.
 *
 * <p>One thread runs the loop and alone touches the consumer; every record is handled on a virtual thread. Records of one key (in one
 * partition) run one after another in offset order. A consumer that breaks, even with an {@link Error}, is replaced, for ever. Any thread
 * may use {@link #close}, {@link #health} and the meters.
 */
public final class RecordLoop implements Runnable, AutoCloseable {
    private static final Backoff AFTER_FAILURE = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));
    private static final DescribeTopicsOptions WITHIN = new DescribeTopicsOptions().timeoutMs(10_000);
    private static final Duration CLOSE_MARGIN = Duration.ofSeconds(15);
    private static final Logger log = LoggerFactory.getLogger(RecordLoop.class);

    private final LoopSettings settings;
    private final LoopClients clients;
    private final DueTimes dueTimes;
    private final InstantSource clock;
    private final LoopMeters meters;
    private final Workers workers;
    private final Signal drained = new Signal();
    private final Assignment assignment;

    private final AtomicBoolean started = new AtomicBoolean();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ForbiddenTopics forbidden;
    private volatile Optional<Consumer<byte[], byte[]>> current = Optional.empty();
    private volatile Optional<Instant> lastPoll = Optional.empty();
    private volatile Optional<String> failure = Optional.empty();
    private int failuresInARow;

    /**
     * @param clients makes a consumer and an admin client, and new ones whenever one broke; the loop closes each
     * @param clock   for durations: it must not jump, as a wall clock does
     */
    public RecordLoop(LoopSettings settings, LoopClients clients, DueTimes dueTimes,
                      RecordHandler handler, InstantSource clock, MeterRegistry registry) {
        this.settings = settings;
        this.clients = clients;
        this.dueTimes = dueTimes;
        this.clock = clock;
        this.meters = new LoopMeters(registry, settings.name());
        this.workers = new Workers(settings, handler, clock, meters);
        this.assignment = new Assignment(settings.buffer(), settings.budget(), drained);
        this.forbidden = new ForbiddenTopics(settings.topics(), clock);
        registerGauges();
    }

    /** Runs the loop on its own thread, and returns at once. */
    public RecordLoop start() {
        Thread.ofPlatform().name(settings.name()).start(this);
        return this;
    }

    /** Returns when the loop is closed or its thread is interrupted. May be called once. */
    @Override
    public void run() {
        if (!started.compareAndSet(false, true)) {
            if (isStopping()) {
                return;
            }
            throw new IllegalStateException("Bug! Loop " + settings.name() + " was run twice");
        }
        try {
            while (!isStopping()) {
                serve();
            }
        } catch (InterruptedException interruption) {
            log.info("{}: interrupted while it waited or left its group, so it ends at once", settings.name());
        } finally {
            end();
        }
    }

    public LoopHealth health() {
        return new LoopHealth(started.get() && !isStopping(), lastPoll, failure,
                workers.silentSince().map(since -> since.plus(settings.stuckAfter())),
                forbidden.problem().or(assignment::trouble));
    }

    /** What is wrong with it now, in one line; empty if all is well. */
    public Optional<String> problem() {
        return health().problem(clock.instant());
    }

    /** Why it will not recover by itself, in one line; empty if it makes progress, or tries to get a working consumer. */
    public Optional<String> standstill() {
        return health().standstill(clock.instant());
    }

    /** Takes no more records, and returns at once. {@link #close} waits for the end. */
    public void stop() {
        stop.countDown();
        current.ifPresent(Consumer::wakeup);
    }

    /** Stops polling, lets records in flight finish for a bounded time, commits and leaves the group. Returns when that is done. */
    @Override
    public void close() {
        stop();
        if (started.compareAndSet(false, true)) {
            end();
            return;
        }
        try {
            if (!ended.await(settings.closeWait().plus(CLOSE_MARGIN).toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("{}: did not end in time, and closing no longer waits for it", settings.name());
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
    }

    /** One consumer, until the loop stops or the consumer breaks. */
    private void serve() throws InterruptedException {
        try (Admin admin = clients.newAdmin()) {
            Consumer<byte[], byte[]> consumer = clients.newConsumer();
            // Published before "stop" is checked again: either close() wakes the consumer, or it never polls.
            current = Optional.of(consumer);
            serveWith(consumer, admin);
        } catch (TopicWatch.TopicMadeAgain another) {
            log.warn("{}: gets a new consumer, because {}", settings.name(), another.getMessage());
        } catch (RuntimeException | Error broken) {
            meters.consumerFailed();
            failuresInARow++;
            Duration pause = AFTER_FAILURE.after(failuresInARow);
            failure = Optional.of("has no working consumer: " + broken);
            log.error("{}: its consumer broke; it gets a new one in {} ms", settings.name(), pause.toMillis(), broken);
            stop.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void serveWith(Consumer<byte[], byte[]> consumer, Admin admin) throws InterruptedException {
        Membership membership = new Membership(consumer, topics -> admin.describeTopics(topics, WITHIN).topicNameValues(), settings,
                dueTimes, clock, workers, assignment, drained, meters, forbidden, clients::newBatchReader);
        boolean sound = false;
        try {
            membership.join();
            turnUntilStopped(membership);
            sound = true;
        } finally {
            current = Optional.empty();
            if (!sound) {
                membership.giveUp();
            }
        }
        membership.leave();
    }

    private void turnUntilStopped(Membership membership) {
        try {
            while (!isStopping()) {
                membership.turn();
                lastPoll = Optional.of(clock.instant());
                failure = Optional.empty();
                failuresInARow = 0;
            }
        } catch (WakeupException closing) {
            if (!isStopping()) {
                throw closing;
            }
        } catch (InterruptedException | InterruptException interruption) {
            log.info("{}: interrupted, so it leaves its group and ends", settings.name());
            stop.countDown();
            // Leaving has to wait a little, which an interrupted thread cannot do.
            Thread.interrupted();
        }
    }

    private void end() {
        stop.countDown();
        meters.close();
        ended.countDown();
    }

    private boolean isStopping() {
        return stop.getCount() == 0;
    }

    private void registerGauges() {
        meters.gauge("in.flight", "Records in the handler now", workers::inFlight);
        meters.gauge("buffered", "Records fetched and not complete", assignment::held);
        meters.gauge("unreadable", "1 while Kafka refuses to serve single partitions or topics",
                () -> forbidden.problem().or(assignment::trouble).isPresent() ? 1 : 0);
        meters.gauge("overdue", "Records due and not started", () -> overdue(clock.instant()).records());
        meters.gauge("overdue.age.seconds", "How long the oldest record that is due and not started is overdue", () -> {
            Instant now = clock.instant();
            return overdue(now).age(now).toMillis() / 1000.0;
        });
    }

    /** What a person keeps waiting is not late: more processes would not start it sooner. */
    private Overdue overdue(Instant now) {
        return settings.held().getAsBoolean() ? Overdue.none(now) : assignment.overdue(now);
    }
}
