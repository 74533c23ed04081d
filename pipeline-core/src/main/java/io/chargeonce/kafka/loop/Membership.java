// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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

/** One consumer's life in its group, from joining to leaving. Poll thread only. */
final class Membership implements ConsumerRebalanceListener {
    private static final Duration LONGEST_POLL = Duration.ofMillis(500);
    /** While something runs: a slot, a key or an earlier due time may come free any moment, and a poll can't be cut short for it. */
    private static final Duration POLL_WHILE_BUSY = Duration.ofMillis(10);
    /** While some partitions are paused: how late the others' records may be noticed. */
    private static final Duration POLL_WHILE_PAUSED = Duration.ofMillis(10);
    /** While something runs, polls follow each other less closely: each costs as much as dozens of records. */
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
    private Set<String> subscribed = Set.of();
    private Instant nextLook = Instant.MIN;

    Membership(Consumer<byte[], byte[]> consumer, TopicWatch.Descriptions descriptions, LoopSettings settings, DueTimes dueTimes,
               InstantSource clock, Workers workers, Assignment assignment, Signal drained, LoopMeters meters, ForbiddenTopics forbidden) {
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
        this.watch = new TopicWatch(descriptions, consumer, settings, clock, assignment, meters);
    }

    void join() {
        subscribed = forbidden.allowed();
        consumer.subscribe(subscribed, this);
    }

    void turn() throws InterruptedException {
        watch.look();
        ConsumerRecords<byte[], byte[]> records = poll();
        buffer(records);
        startWhatIsDue();
        commits.whenTheIntervalIsOver(assignment.all());
        backpressure.pauseWhatIsFullAndResumeTheRest();
        lookAround();
    }

    /** Finishes what runs, a bounded time, commits and leaves the group. */
    void leave() throws InterruptedException {
        try {
            handOver(assignment.removeAll(), settings.closeWait());
        } finally {
            consumer.close(CloseOptions.timeout(LEAVE_TIMEOUT));
        }
    }

    /** Leaves without a commit: the consumer is broken. */
    void giveUp() {
        assignment.removeAll();
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

    /** They belong to another member already: a commit of ours would be refused, or worse, taken. */
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

    /** A consumer that holds fetched records of a paused partition does not rest in its poll but spins, so rest before it. */
    private ConsumerRecords<byte[], byte[]> pollAfter(Duration rest, Duration poll) throws InterruptedException {
        if (rest.isPositive()) {
            drained.await(rest);
            backpressure.pauseWhatIsFullAndResumeTheRest();
        }
        try {
            return consumer.poll(poll);
        } catch (WakeupException | InterruptException ending) {
            throw ending;
        } catch (KafkaException failure) {
            leaveOut(failure);
            return ConsumerRecords.empty();
        }
    }

    /** A failure of single partitions holds up only them. Any other one breaks the consumer, which is then replaced. */
    private void leaveOut(KafkaException failure) {
        Instant now = clock.instant();
        List<PartitionWork> refused = Unreadable.partitions(failure, assignment.partitions()).stream()
                .map(assignment::of).filter(work -> !work.takesNoMore(now)).toList();
        if (refused.isEmpty() && failure instanceof TopicAuthorizationException topics && forbidden.refused(topics.unauthorizedTopics())) {
            log.error("ALERT: {}: Kafka does not let it read {}; it reads its other topics and tries these again later",
                    settings.name(), topics.unauthorizedTopics());
        }
        if (refused.isEmpty()) {
            throw failure;
        }
        refused.forEach(work -> {
            work.refused(failure.getMessage(), now);
            log.error("ALERT: {}: {} can't be read now. The other partitions go on, this one is tried again and never skipped by"
                    + " itself. Give the rights back or mend the broker's log; to skip what is lost, stop this group and set its offset behind it",
                    settings.name(), work.partition, failure);
        });
        backpressure.pauseWhatIsFullAndResumeTheRest();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** How long a poll may take so that nothing is late. Nothing else can become due while nothing runs. */
    private Duration patience() {
        Duration longest = workers.isBusy() || watch.awaitsAnAnswer() ? POLL_WHILE_BUSY : LONGEST_POLL;
        Instant now = clock.instant();
        return assignment.nextDue()
                .map(due -> roundedUp(Duration.between(now, due)))
                .filter(wait -> wait.compareTo(longest) < 0)
                .orElse(longest);
    }

    /** The consumer counts in milliseconds and cuts the rest off, which would make it spin through the last one. */
    private static Duration roundedUp(Duration wait) {
        return wait.isPositive() ? Duration.ofMillis(wait.plusNanos(999_999).toMillis()) : Duration.ZERO;
    }

    private void buffer(ConsumerRecords<byte[], byte[]> records) {
        if (records.isEmpty()) {
            return;
        }
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> fetched = records.records(partition);
            PartitionWork work = assignment.of(partition);
            if (!work.isFollowedBy(fetched.getFirst().offset())) {
                log.warn("{}: {} jumped back to offset {}; its log was cut, and what was held of it is dropped",
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
                // The time is read after the record's age, or a pause in between would make it early.
                work.hold(record, clock.instant().plus(wait), workers.shareOf(record));
            }
        }
    }

    private void startWhatIsDue() {
        Instant now = clock.instant();
        assignment.inTurn().forEach(work -> work.releaseDue(now, workers::offer));
        workers.startWhatFits();
    }

    /** What need not be known every turn. */
    private void lookAround() {
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

    /** The works are abandoned: what runs in them gets a bounded time, then everything complete is committed. */
    private void handOver(List<PartitionWork> leaving, Duration wait) throws InterruptedException {
        long deadline = System.nanoTime() + wait.toNanos();
        for (PartitionWork work : leaving) {
            if (!work.awaitQuiet(deadline)) {
                log.warn("{}: gave {} up with records in flight after {}; whoever has it next gets them again",
                        settings.name(), work.partition, wait);
            }
        }
        commits.now(leaving);
    }
}
