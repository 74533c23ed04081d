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
import org.apache.kafka.common.TopicPartition;

/**
 * Everything known of one partition from its assignment to its revocation: what is held, what runs, what is complete.
 * Any thread may call it; every change and every offset taken happens under its one lock.
 *
 * <p>A partition that comes back to the same member gets a new object, so a late completion reaches only the old one.
 */
final class PartitionWork {
    private static final Backoff ASK_AGAIN = new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(1));

    private static final Duration TRIED_FOR = Duration.ofMinutes(1);

    final TopicPartition partition;
    private final BufferLimit limit;
    private final Signal drained;

    private final SequencedSet<HeldRecord> held = new LinkedHashSet<>();
    private final HeldShares shares;
    private final Offsets offsets = new Offsets();
    private final WaitingRecords waiting = new WaitingRecords();
    private final KeyQueues keys = new KeyQueues();
    private Optional<OffsetAndMetadata> commitRequested = Optional.empty();
    private Optional<String> topicId = Optional.empty();
    private Optional<Unread> unread = Optional.empty();
    private volatile boolean abandoned;
    private BufferLimit.Full full = BufferLimit.Full.NO;
    private int running;
    private long heldBytes;
    private long unfetched;

    /** Kafka does not give its records out: why, and when it is asked again. */
    private record Unread(String reason, Instant again, int times) {}

    /** @param drained raised when a full buffer has room again */
    PartitionWork(TopicPartition partition, BufferLimit limit, Signal drained) {
        this.partition = partition;
        this.limit = limit;
        this.shares = new HeldShares(limit.records());
        this.drained = drained;
    }

    /** The id of the topic that it is a partition of; empty until that is known, and then nothing is read or committed. */
    synchronized Optional<String> topicId() {
        return topicId;
    }

    synchronized void belongsTo(String id) {
        topicId = Optional.of(id);
        unread = Optional.empty();
    }

    /** Nothing was fetched yet, and everything below that offset is complete. */
    synchronized void continuesAt(long offset) {
        offsets.beginAt(offset);
    }

    /** Kafka refuses to give its records out; it is asked again after a pause that grows. */
    synchronized void refused(String reason, Instant now) {
        int times = unread.map(Unread::times).orElse(0) + 1;
        unread = Optional.of(new Unread(reason, now.plus(ASK_AGAIN.after(times)), times));
    }

    /** Records came: it can be read. True if it could not before. */
    synchronized boolean wasRead() {
        boolean before = unread.isPresent();
        unread = Optional.empty();
        return before;
    }

    /** One that was tried for a while without a refusal can be read, also where it has no records. */
    synchronized void forgetOldRefusal(Instant now) {
        unread = unread.filter(refusal -> now.isBefore(refusal.again().plus(TRIED_FOR)));
    }

    synchronized Optional<String> unreadable() {
        return unread.map(now -> partition + " can't be read: " + now.reason());
    }

    /** Whether nothing more of it is to be fetched now. */
    synchronized boolean takesNoMore(Instant now) {
        return full.isReached() || topicId.isEmpty() || unread.filter(refusal -> now.isBefore(refusal.again())).isPresent();
    }

    synchronized boolean isFollowedBy(long offset) {
        return offsets.isFollowedBy(offset);
    }

    /** @param unfetched how many records of the partition lie behind what was fetched, if the consumer knows */
    synchronized void behind(OptionalLong unfetched) {
        this.unfetched = unfetched.orElse(0);
    }

    synchronized void hold(ConsumerRecord<byte[], byte[]> record, Instant due) {
        hold(record, due, "");
    }

    /** @param share whom it belongs to */
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
     * Passes on what is due by now and first of its key; what is given back comes first.
     *
     * @return how many became due, those that follow another of their key among them
     */
    synchronized int releaseDue(Instant now, Consumer<HeldRecord> ready) {
        return waiting.takeDue(now, fetched -> {
            if (keys.add(fetched)) {
                ready.accept(fetched);
            }
        }, ready);
    }

    /** When the next record that still waits is due. */
    synchronized Optional<Instant> nextDue() {
        return waiting.nextDue();
    }

    /** False if the record must not be started any more. True takes note that it runs. */
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

    /** False if the handling that seemed stuck has ended since. */
    synchronized boolean beginAgain(HeldRecord stuck, Instant now) {
        return stuck.handlings == 1 && !stuck.waits && begin(stuck, now);
    }

    /** What is with the handler since before that time. */
    synchronized List<HeldRecord> runningSinceBefore(Instant time) {
        return abandoned ? List.of() : held.stream().filter(each -> each.runsSinceBefore(time)).toList();
    }

    /**
     * The next record of the same key, if it is due and the partition still ours. It has not begun. Of a record that was
     * handed over more than once only the first completion counts.
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

    /** From now on nothing is started; what runs may still complete. */
    synchronized void abandon() {
        abandoned = true;
        waiting.clear();
        keys.clear();
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Waits until nothing runs, at most until the deadline, which is a {@link System#nanoTime()}. */
    synchronized boolean awaitQuiet(long deadline) throws InterruptedException {
        while (running > 0) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            // Rounded up, since a wait of 0 ms would be one without end.
            wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
        }
        return true;
    }

    /** What to commit if it was not yet asked for; the caller asks for it now. */
    synchronized Optional<OffsetAndMetadata> takeChangedOffset() {
        if (committable().equals(commitRequested)) {
            return Optional.empty();
        }
        commitRequested = committable();
        return commitRequested;
    }

    /** With the topic that it belongs to. */
    synchronized Optional<OffsetAndMetadata> committable() {
        return topicId.flatMap(id -> offsets.committable().map(next -> CommittedTopic.of(id, next.offset(), next.leaderEpoch())));
    }

    /** The last commit is in doubt: the next one asks for it again. */
    synchronized void commitFailed() {
        commitRequested = Optional.empty();
    }

    synchronized boolean isFull() {
        return full.isReached();
    }

    synchronized int held() {
        return held.size();
    }

    /** Records are due in their order, so where the last that was fetched is overdue, those behind it may be as well. */
    synchronized Overdue overdue(Instant now) {
        Overdue fetched = held.stream()
                .filter(each -> each.isOverdue(now))
                .map(each -> new Overdue(1, each.due))
                .reduce(Overdue.none(now), Overdue::and);
        boolean more = !held.isEmpty() && held.getLast().isOverdue(now);
        return more ? fetched.and(new Overdue(unfetched, now)) : fetched;
    }

    private BufferLimit.Full fullNow() {
        return limit.after(full, shares.counted(), heldBytes, offsets.uncommittable());
    }

    private void endRun() {
        running--;
        if (running == 0) {
            notifyAll();
        }
    }
}
