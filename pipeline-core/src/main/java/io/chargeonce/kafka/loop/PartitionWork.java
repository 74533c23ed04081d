// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.kafka.Backoff;
import io.chargeonce.kafka.CommittedTopic;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

/**
 * Everything known about one partition from its assignment to its revocation: the held records, those in flight, and how far it is
 * complete. Any thread may call it; one lock guards every change and every offset that is read.
 *
 * <p>A partition that returns to the same member gets a new object, so a late completion reaches only the old one.
 */
final class PartitionWork {
    private static final Backoff ASK_AGAIN = new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(1));

    private static final Duration TRIED_FOR = Duration.ofMinutes(1);

    final TopicPartition partition;
    private final BufferLimit limit;
    private final BufferBudget budget;
    private final Signal drained;

    private final SequencedSet<HeldRecord> held = new LinkedHashSet<>();
    private final HeldShares shares;
    private final Offsets offsets = new Offsets();
    private final WaitingRecords waiting = new WaitingRecords();
    private final KeyQueues keys = new KeyQueues();
    private Optional<OffsetAndMetadata> commitRequested = Optional.empty();
    private Optional<String> topicId = Optional.empty();
    private Optional<Unread> unread = Optional.empty();
    private Optional<Node> leader = Optional.empty();
    private volatile boolean abandoned;
    private BufferLimit.Full full = BufferLimit.Full.NO;
    private int running;
    private long heldBytes;
    private long unfetched;

    /** Kafka refuses to serve its records: why, and when to try again. */
    private record Unread(String reason, Instant again, int times) {}

    /**
     * @param budget  of all partitions together
     * @param drained raised when a full buffer has room again
     */
    PartitionWork(TopicPartition partition, BufferLimit limit, BufferBudget budget, Signal drained) {
        this.partition = partition;
        this.limit = limit;
        this.budget = budget;
        budget.joined();
        this.shares = new HeldShares(limit.records());
        this.drained = drained;
    }

    /** The id of its topic. Until it is known, nothing is read or committed. */
    synchronized Optional<String> topicId() {
        return topicId;
    }

    synchronized void belongsTo(String id) {
        topicId = Optional.of(id);
        unread = Optional.empty();
    }

    synchronized void ledBy(Optional<Node> broker) {
        leader = broker;
    }

    /** The broker that serves its records, as of a moment ago. */
    synchronized Optional<Node> leader() {
        return leader;
    }

    /** Nothing was fetched yet, and everything below that offset is complete. */
    synchronized void continuesAt(long offset) {
        offsets.beginAt(offset);
    }

    /** Kafka refuses to serve its records. The loop tries again after a pause that grows. */
    synchronized void refused(String reason, Instant now) {
        int times = unread.map(Unread::times).orElse(0) + 1;
        unread = Optional.of(new Unread(reason, now.plus(ASK_AGAIN.after(times)), times));
    }

    /** Records were read from it. True if the partition could not be read before. */
    synchronized boolean wasRead() {
        boolean before = unread.isPresent();
        unread = Optional.empty();
        return before;
    }

    /** A partition that was tried for a while without a refusal is readable, even if it has no records. */
    synchronized void forgetOldRefusal(Instant now) {
        unread = unread.filter(refusal -> now.isBefore(refusal.again().plus(TRIED_FOR)));
    }

    synchronized Optional<String> unreadable() {
        return unread.map(now -> partition + " can't be read: " + now.reason());
    }

    /** Whether no more of its records may be fetched now. */
    synchronized boolean takesNoMore(Instant now) {
        // Its share of the budget may have changed.
        full = fullNow();
        return full.isReached() || topicId.isEmpty() || unread.filter(refusal -> now.isBefore(refusal.again())).isPresent();
    }

    synchronized boolean isFollowedBy(long offset) {
        return offsets.isFollowedBy(offset);
    }

    /** @param unfetched how many records of the partition follow the fetched ones, if the consumer knows */
    synchronized void behind(OptionalLong unfetched) {
        this.unfetched = unfetched.orElse(0);
    }

    synchronized void hold(ConsumerRecord<byte[], byte[]> record, Instant due) {
        hold(record, due, "");
    }

    /** @param share the record's owner, mostly a merchant */
    synchronized void hold(ConsumerRecord<byte[], byte[]> record, Instant due, String share) {
        Offsets.Mark mark = offsets.add(record.offset(), record.leaderEpoch());
        HeldRecord fetched = new HeldRecord(record, this, mark, due, share);
        held.add(fetched);
        shares.add(share);
        heldBytes += fetched.bytes;
        fetched.waits = true;
        waiting.addFetched(fetched);
        full = fullNow();
    }

    /**
     * Passes on the due records that are first of their key. Given-back records come first.
     *
     * @return how many became due, including those that wait behind another of their key
     */
    synchronized int releaseDue(Instant now, Consumer<HeldRecord> ready) {
        return waiting.takeDue(now, fetched -> {
            if (keys.add(fetched)) {
                ready.accept(fetched);
            }
        }, ready);
    }

    /** When the next waiting record is due. */
    synchronized Optional<Instant> nextDue() {
        return waiting.nextDue();
    }

    /** False if the record must not start any more. True records that it runs. */
    synchronized boolean begin(HeldRecord next, Instant now) {
        if (abandoned || next.complete) {
            return false;
        }
        next.begun = now;
        next.waits = false;
        next.handlings++;
        running += next.handlings == 1 ? 1 : 0;
        return true;
    }

    /** False if the call that seemed stuck has ended since. */
    synchronized boolean beginAgain(HeldRecord stuck, Instant now) {
        return stuck.handlings == 1 && !stuck.waits && begin(stuck, now);
    }

    /** The records that have been in the handler since before that time. */
    synchronized List<HeldRecord> runningSinceBefore(Instant time) {
        return abandoned ? List.of() : held.stream().filter(each -> each.runsSinceBefore(time)).toList();
    }

    /**
     * Returns the next record of the same key, if it is due and the partition is still ours. That record has not begun. If a record was
     * handed over more than once, only the first completion counts.
     */
    synchronized Optional<HeldRecord> complete(HeldRecord finished) {
        if (finished.complete) {
            return Optional.empty();
        }
        finished.complete = true;
        offsets.complete(finished.mark);
        held.remove(finished);
        shares.remove(finished.share);
        heldBytes -= finished.bytes;
        endRun();
        boolean wasFull = full.isReached();
        full = fullNow();
        if (wasFull && !full.isReached()) {
            drained.raise();
        }
        return abandoned ? Optional.empty() : keys.next(finished);
    }

    /** The record was not completed and is due again later. */
    synchronized void giveBack(HeldRecord unfinished, Instant due) {
        if (unfinished.complete) {
            return;
        }
        unfinished.handlings--;
        if (unfinished.handlings == 0) {
            endRun();
        }
        if (!abandoned && !unfinished.waits) {
            unfinished.due = due;
            unfinished.waits = true;
            waiting.addGivenBack(unfinished);
        }
    }

    /** From now on no record starts. Records in flight may still complete. */
    synchronized void abandon() {
        if (!abandoned) {
            budget.left();
        }
        abandoned = true;
        waiting.clear();
        keys.clear();
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Waits until no record runs, at most until the deadline, which is a {@link System#nanoTime()}. */
    synchronized boolean awaitQuiet(long deadline) throws InterruptedException {
        while (running > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            // Rounded up: a wait of 0 ms would never end.
            wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
        }
        return true;
    }

    /** The offset to commit, unless its commit was already requested. The caller commits it now. */
    synchronized Optional<OffsetAndMetadata> takeChangedOffset() {
        if (committable().equals(commitRequested)) {
            return Optional.empty();
        }
        commitRequested = committable();
        return commitRequested;
    }

    /** The offset carries the id of its topic. */
    synchronized Optional<OffsetAndMetadata> committable() {
        return topicId.flatMap(id -> offsets.committable().map(next -> CommittedTopic.of(id, next.offset(), next.leaderEpoch())));
    }

    /** Whether the last commit took effect is unknown, so the next one repeats it. */
    synchronized void commitFailed() {
        commitRequested = Optional.empty();
    }

    synchronized boolean isFull() {
        return full.isReached();
    }

    synchronized int held() {
        return held.size();
    }

    /** Records become due in their order. So if the last fetched record is overdue, those behind it may be overdue too. */
    synchronized Overdue overdue(Instant now) {
        Overdue fetched = held.stream()
                .filter(each -> each.isOverdue(now))
                .map(each -> new Overdue(1, each.due))
                .reduce(Overdue.none(now), Overdue::and);
        boolean more = !held.isEmpty() && held.getLast().isOverdue(now);
        return more ? fetched.and(new Overdue(unfetched, now)) : fetched;
    }

    private BufferLimit.Full fullNow() {
        return limit.within(budget.share()).after(full, shares.counted(), heldBytes, offsets.uncommittable());
    }

    private void endRun() {
        running--;
        if (running == 0) {
            notifyAll();
        }
    }
}
