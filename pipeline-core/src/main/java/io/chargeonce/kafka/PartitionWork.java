package io.chargeonce.kafka;

import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
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
    final TopicPartition partition;
    private final BufferLimit limit;
    private final Signal drained;

    private final Set<HeldRecord> held = new LinkedHashSet<>();
    private final Offsets offsets = new Offsets();
    private final WaitingRecords waiting = new WaitingRecords();
    private final KeyQueues keys = new KeyQueues();
    private Optional<OffsetAndMetadata> commitRequested = Optional.empty();
    private boolean abandoned;
    private boolean full;
    private int running;
    private long heldBytes;

    /** @param drained raised when a full buffer has room again */
    PartitionWork(TopicPartition partition, BufferLimit limit, Signal drained) {
        this.partition = partition;
        this.limit = limit;
        this.drained = drained;
    }

    synchronized boolean isFollowedBy(long offset) {
        return offsets.isFollowedBy(offset);
    }

    synchronized void hold(ConsumerRecord<byte[], byte[]> record, Instant due) {
        Offsets.Mark mark = offsets.add(record.offset(), record.leaderEpoch());
        HeldRecord fetched = new HeldRecord(record, this, mark, due);
        held.add(fetched);
        heldBytes += fetched.bytes;
        waiting.addFetched(fetched);
        full = full || limit.isReachedBy(held.size(), heldBytes, offsets.uncommittable());
    }

    /** Passes on what is due by now and first of its key. */
    synchronized void releaseDue(Instant now, Consumer<HeldRecord> ready) {
        waiting.takeDue(now, fetched -> {
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
    synchronized boolean begin(HeldRecord next) {
        if (abandoned) {
            return false;
        }
        next.running = true;
        running++;
        return true;
    }

    /** The next record of the same key, if it is due and the partition still ours. It has not begun. */
    synchronized Optional<HeldRecord> complete(HeldRecord finished) {
        offsets.complete(finished.mark);
        held.remove(finished);
        heldBytes -= finished.bytes;
        endRun(finished);
        if (full && limit.hasRoomAgainAt(held.size(), heldBytes, offsets.uncommittable())) {
            full = false;
            drained.raise();
        }
        return abandoned ? Optional.empty() : keys.next(finished);
    }

    /** The record was not completed and is due again later. */
    synchronized void giveBack(HeldRecord unfinished, Instant due) {
        unfinished.due = due;
        endRun(unfinished);
        if (!abandoned) {
            waiting.addGivenBack(unfinished);
        }
    }

    /** From now on nothing is started; what runs may still complete. */
    synchronized void abandon() {
        abandoned = true;
        waiting.clear();
        keys.clear();
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
        if (offsets.committable().equals(commitRequested)) {
            return Optional.empty();
        }
        commitRequested = offsets.committable();
        return commitRequested;
    }

    synchronized Optional<OffsetAndMetadata> committable() {
        return offsets.committable();
    }

    /** The last commit is in doubt: the next one asks for it again. */
    synchronized void commitFailed() {
        commitRequested = Optional.empty();
    }

    synchronized boolean isFull() {
        return full;
    }

    synchronized int held() {
        return held.size();
    }

    synchronized Overdue overdue(Instant now) {
        return held.stream()
                .filter(each -> each.isOverdue(now))
                .map(each -> new Overdue(1, each.due))
                .reduce(Overdue.none(now), Overdue::and);
    }

    private void endRun(HeldRecord ended) {
        ended.running = false;
        running--;
        if (running == 0) {
            notifyAll();
        }
    }
}
