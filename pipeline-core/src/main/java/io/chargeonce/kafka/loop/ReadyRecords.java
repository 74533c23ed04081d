// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import io.chargeonce.fairness.FairLines;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The records that wait for a slot of their loop, and how many slots each share has. Shares take turns. A lone share may have all slots. A
 * share that has few slots never waits for a slow one: a quarter more slots are kept for that. The limit on records per second is divided
 * by the same turns. Any thread.
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

    /** Its predecessor of the same key is complete, so it goes before all others of its share. */
    synchronized void addFollower(HeldRecord ready) {
        waiting.addFirst(ready.share, ready);
    }

    /** The next record that may run. It has its slot from now on. */
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

    /** Returns the record's slot. */
    synchronized void ended(HeldRecord record) {
        running.compute(record.share, (share, count) -> count == 1 ? null : count - 1);
        allRunning--;
    }

    /** Without this, ready records of a revoked partition would stay until a slot is free, beside those of its next assignment. */
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
