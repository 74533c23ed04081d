// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.scale;

import java.util.Map;
import java.util.TreeMap;

/** What a run counted. For one thread. */
final class ScaleCounts {

    private final TreeMap<Long, Long> delays = new TreeMap<>();
    private long accepted;
    private long refused;
    private long settled;
    private long mostWaiting;
    private long waitingNow;
    private double busiest;

    void accepted(long count) {
        accepted += count;
    }

    /** Answered with 503: the shard had no time left. */
    void refused(long count) {
        refused += count;
    }

    void settled(long ticks, long count) {
        settled += count;
        delays.merge(ticks, count, Long::sum);
    }

    /** Of one shard in this tick. */
    void waiting(long count) {
        waitingNow += count;
    }

    void busy(double share) {
        busiest = Math.max(busiest, share);
    }

    void endOfTick() {
        mostWaiting = Math.max(mostWaiting, waitingNow);
        waitingNow = 0;
    }

    long accepted() {
        return accepted;
    }

    long refused() {
        return refused;
    }

    long settled() {
        return settled;
    }

    /** Due and not begun, over all shards, when that was most. */
    long mostWaiting() {
        return mostWaiting;
    }

    /** The most that any shard's Postgres had to do in a tick, as a share of what it can. */
    double busiest() {
        return busiest;
    }

    /** Seconds from arrival to outcome that this share of the settled payments did not exceed. */
    double seconds(double share) {
        long left = (long) Math.ceil(settled * share);
        for (Map.Entry<Long, Long> delay : delays.entrySet()) {
            left -= delay.getValue();
            if (left <= 0) {
                return delay.getKey() * Shard.TICK.toMillis() / 1000.0;
            }
        }
        return 0;
    }
}
