// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.BatchReader;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One consumer's time in its group, from joining to leaving. Poll thread only. */
final class Membership implements ConsumerRebalanceListener {
    private static final Duration LONGEST_POLL = Duration.ofMillis(500);
    /** While records run, a slot, a key or an earlier due time may become free at any moment, and a poll cannot be cut short for it. */
    private static final Duration POLL_WHILE_BUSY = Duration.ofMillis(10);
    /** While some partitions are paused: the longest delay in noticing records of the others. */
    private static final Duration POLL_WHILE_PAUSED = Duration.ofMillis(10);
    /** While records run, polls are spaced out: each poll costs as much as dozens of records. */
    private static final Duration GATHER = Duration.ofMillis(2);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);
    private static final Logger log = LoggerFactory.getLogger(Membership.class);

    private final Consumer<byte[], byte[]> consumer;
    private final LoopSettings settings;
    private final DueTimes dueTimes;
    private final InstantSource clock;
    private final Workers workers;
    private final Assignment assignment;
    private final Signal drained;
    private final Commits commits;
    private final Backpressure backpressure;
    private final LoopMeters meters;
    private final ForbiddenTopics forbidden;
    private final TopicWatch watch;
    private final IsolatedReads isolated;
    private Set<String> subscribed = Set.of();
    private Instant nextLook = Instant.MIN;

    Membership(Consumer<byte[], byte[]> consumer, TopicWatch.Descriptions descriptions, LoopSettings settings, DueTimes dueTimes,
               InstantSource clock, Workers workers, Assignment assignment, Signal drained, LoopMeters meters, ForbiddenTopics forbidden,
               Supplier<BatchReader> readers) {
        this.consumer = consumer;
        this.settings = settings;
        this.dueTimes = dueTimes;
        this.clock = clock;
        this.workers = workers;
        this.assignment = assignment;
        this.drained = drained;
        this.meters = meters;
        this.commits = new Commits(consumer, settings, clock, meters);
        this.backpressure = new Backpressure(consumer, assignment, clock);
        this.forbidden = forbidden;
        this.isolated = new IsolatedReads(consumer, readers, settings, assignment, clock, meters);
        this.watch = new TopicWatch(descriptions, consumer, settings, clock, assignment, meters);
    }

    void join() {
        subscribed = forbidden.allowed();
        consumer.subscribe(subscribed, this);
    }

    void turn() throws InterruptedException {
        watch.look();
        ConsumerRecords<byte[], byte[]> records = poll();
        records.partitions().forEach(partition -> hold(partition, records.records(partition)));
        isolated.read(this::hold);
        startWhatIsDue();
        commits.whenTheIntervalIsOver(assignment.all());
        backpressure.pauseWhatIsFullAndResumeTheRest();
        lookNowAndThen();
    }

    /** Lets records in flight finish for a bounded time, commits and leaves the group. */
    void leave() throws InterruptedException {
        try {
            handOver(assignment.removeAll(), settings.closeWait());
        } finally {
            isolated.close();
            consumer.close(CloseOptions.timeout(LEAVE_TIMEOUT));
        }
    }

    /** Leaves without a commit: the consumer is broken. */
    void giveUp() {
        assignment.removeAll();
        isolated.close();
        try {
            consumer.close(CloseOptions.timeout(LEAVE_TIMEOUT));
        } catch (KafkaException failure) {
            log.info("{}: the broken consumer did not close well: {}", settings.name(), failure.toString());
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        assignment.add(assigned);
        watch.hurry();
        backpressure.pauseWhatIsFullAndResumeTheRest();
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        try {
            handOver(assignment.remove(revoked), settings.revocationWait());
        } catch (InterruptedException interruption) {
            throw new InterruptException(interruption);
        }
    }

    /** They already belong to another member. A commit of ours would be refused or, worse, accepted. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        assignment.remove(lost);
    }

    private ConsumerRecords<byte[], byte[]> poll() throws InterruptedException {
        Duration patience = patience();
        return switch (backpressure.extent()) {
            case NOTHING -> pollAfter(workers.isBusy() ? shorter(patience, GATHER) : Duration.ZERO, patience);
            case SOME -> pollAfter(shorter(patience, POLL_WHILE_PAUSED), Duration.ZERO);
            case EVERYTHING -> pollAfter(patience, Duration.ZERO);
        };
    }

    /**
     * A consumer that holds fetched records of a paused partition spins in its poll instead of resting. So the rest comes before the poll.
     */
    private ConsumerRecords<byte[], byte[]> pollAfter(Duration rest, Duration poll) throws InterruptedException {
        if (rest.isPositive()) {
            drained.await(rest);
            backpressure.pauseWhatIsFullAndResumeTheRest();
        }
        try {
            return consumer.poll(poll);
        } catch (OutOfMemoryError full) {
            assignment.tooLarge.noMemoryFor(assignment.partitions(), clock.instant());
            log.error("{}: what was fetched does not fit into memory. Its partitions are now read batch by batch", settings.name());
            throw full;
        } catch (WakeupException | InterruptException ending) {
            throw ending;
        } catch (KafkaException failure) {
            leaveOut(failure);
            return ConsumerRecords.empty();
        }
    }

    /** A failure of single partitions stops only those. Any other failure breaks the consumer, which is then replaced. */
    private void leaveOut(KafkaException failure) {
        Instant now = clock.instant();
        List<PartitionWork> refused = Unreadable.partitions(failure, assignment.partitions()).stream()
                .map(assignment::of).filter(work -> !work.takesNoMore(now)).toList();
        if (refused.isEmpty() && failure instanceof TopicAuthorizationException topics && forbidden.refused(topics.unauthorizedTopics())) {
            log.error("ALERT: {}: Kafka does not let it read {}. It reads its other topics and tries these again later",
                    settings.name(), topics.unauthorizedTopics());
        }
        if (refused.isEmpty()) {
            throw failure;
        }
        refused.forEach(work -> {
            work.refused(failure.getMessage(), now);
            log.error("ALERT: {}: {} can't be read now. The other partitions go on. This one is tried again and never skipped by"
                    + " itself. Restore the rights or repair the broker's log. To skip lost records, stop this group and set its"
                    + " offset after them",
                    settings.name(), work.partition, failure);
        });
        backpressure.pauseWhatIsFullAndResumeTheRest();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** How long a poll may take so that no record is late. While no record runs, no other one can become due. */
    private Duration patience() {
        Duration longest = workers.isBusy() || watch.awaitsAnAnswer() ? POLL_WHILE_BUSY : LONGEST_POLL;
        if (settings.held().getAsBoolean()) {
            // What is due does not start, so it is no reason to hurry.
            return longest;
        }
        Instant now = clock.instant();
        return assignment.nextDue()
                .map(due -> roundedUp(Duration.between(now, due)))
                .filter(wait -> wait.compareTo(longest) < 0)
                .orElse(longest);
    }

    /** The consumer counts in milliseconds and truncates, which would make it spin through the last one. */
    private static Duration roundedUp(Duration wait) {
        return wait.isPositive() ? Duration.ofMillis(wait.plusNanos(999_999).toMillis()) : Duration.ZERO;
    }

    private void hold(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> fetched) {
        if (fetched.isEmpty()) {
            return;
        }
        PartitionWork work = assignment.of(partition);
        if (!work.isFollowedBy(fetched.getFirst().offset())) {
            log.warn("{}: {} jumped back to offset {}: its log was truncated. Its held records are dropped",
                    settings.name(), partition, fetched.getFirst().offset());
            work = assignment.restartOfTheSameTopic(partition);
        }
        if (work.wasRead()) {
            log.warn("{}: {} can be read again", settings.name(), partition);
        }
        forbidden.readable(partition.topic());
        if (work.isFull()) {
            meters.fetchedWhileFull(fetched.size());
        }
        for (ConsumerRecord<byte[], byte[]> record : fetched) {
            Duration wait = dueTimes.untilDue(record);
            // The clock is read after the record's age was computed. The other way round, a pause in between would make the record early.
            work.hold(record, clock.instant().plus(wait), workers.shareOf(record));
        }
    }

    private void startWhatIsDue() {
        if (settings.held().getAsBoolean()) {
            return;
        }
        Instant now = clock.instant();
        assignment.inTurn().forEach(work -> work.releaseDue(now, workers::offer));
        workers.startWhatFits();
    }

    /** Checks that are not needed every turn. */
    private void lookNowAndThen() {
        Instant now = clock.instant();
        if (now.isBefore(nextLook)) {
            return;
        }
        nextLook = now.plus(LOOK_EVERY);
        workers.forgetAbandoned();
        if (!subscribed.equals(forbidden.allowed())) {
            join();
        }
        for (PartitionWork work : assignment.all()) {
            work.forgetOldRefusal(now);
            work.behind(consumer.currentLag(work.partition));
            work.runningSinceBefore(now.minus(settings.stuckAfter())).forEach(workers::handAgain);
        }
    }

    /** The partitions are abandoned. Their records in flight get a bounded time, then everything complete is committed. */
    private void handOver(List<PartitionWork> leaving, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        for (PartitionWork work : leaving) {
            if (!work.awaitQuiet(deadline)) {
                log.warn("{}: gave up {} after {} with records in flight; the next member that has it gets them again",
                        settings.name(), work.partition, wait);
            }
        }
        commits.now(leaving);
    }
}
