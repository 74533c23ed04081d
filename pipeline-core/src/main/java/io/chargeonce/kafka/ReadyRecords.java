package io.chargeonce.kafka;

import io.chargeonce.turns.FairLines;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The records that wait for a slot of their loop, and whose records have the slots. Shares take turns. A lone one may have all slots;
 * a share that has few of them never waits until a slow one gives some back, for then there are a quarter more. Any thread.
 */
final class ReadyRecords {

    private final int slots;
    private final int most;
    private final int few;
    private final FairLines<HeldRecord> waiting = new FairLines<>();
    private final Map<String, Integer> running = new HashMap<>();
    private int allRunning;

    ReadyRecords(int slots) {
        this.slots = slots;
        this.most = slots + Math.max(1, slots / 4);
        this.few = Math.max(1, slots / 10);
    }

    synchronized void add(HeldRecord ready) {
        waiting.add(ready.share, ready);
    }

    /** It follows one of its key that is complete, and so it goes before all others of its share. */
    synchronized void addFollower(HeldRecord ready) {
        waiting.addFirst(ready.share, ready);
    }

    /** The next one that may run. It has its slot from now on. */
    synchronized Optional<HeldRecord> start() {
        if (allRunning >= most) {
            return Optional.empty();
        }
        Optional<HeldRecord> next = waiting.take(share -> allRunning < slots || running.getOrDefault(share, 0) < few);
        next.ifPresent(started -> {
            running.merge(started.share, 1, Integer::sum);
            allRunning++;
        });
        return next;
    }

    /** It gives its slot back. */
    synchronized void ended(HeldRecord record) {
        running.compute(record.share, (share, count) -> count == 1 ? null : count - 1);
        allRunning--;
    }

    synchronized int running() {
        return allRunning;
    }

    synchronized boolean isEmpty() {
        return waiting.size() == 0;
    }
}
