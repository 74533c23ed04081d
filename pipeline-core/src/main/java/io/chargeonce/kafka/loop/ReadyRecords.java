// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.turns.FairLines;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The records that wait for a slot of their loop, and whose records have the slots. Shares take turns. A lone one may have all slots;
 * a share that has few of them never waits until a slow one gives some back, for then there are a quarter more. So many become work
 * in a second and no more; these turns too are shared. Any thread.
 */
final class ReadyRecords {

    private final int slots;
    private final int most;
    private final int few;
    private final ReleaseRate rate;
    private final InstantSource clock;
    private final FairLines<HeldRecord> waiting = new FairLines<>();
    private final Map<String, Integer> running = new HashMap<>();
    private int allRunning;

    ReadyRecords(int slots, int mostPerSecond, InstantSource clock) {
        this.slots = slots;
        this.rate = new ReleaseRate(mostPerSecond);
        this.clock = clock;
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
        if (allRunning >= most || waiting.size() == 0 || rate.allowedAt(clock.instant()) < 1) {
            return Optional.empty();
        }
        Optional<HeldRecord> next = waiting.take(share -> allRunning < slots || running.getOrDefault(share, 0) < few);
        next.ifPresent(started -> {
            running.merge(started.share, 1, Integer::sum);
            allRunning++;
            rate.used(1);
        });
        return next;
    }

    /** It gives its slot back. */
    synchronized void ended(HeldRecord record) {
        running.compute(record.share, (share, count) -> count == 1 ? null : count - 1);
        allRunning--;
    }

    /** Else what a partition that left had ready would stay until a slot is free, and so would that of its next life. */
    synchronized void forgetAbandoned() {
        waiting.removeIf(held -> held.work.isAbandoned());
    }

    synchronized int running() {
        return allRunning;
    }

    synchronized int waiting() {
        return waiting.size();
    }
}
