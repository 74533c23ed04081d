// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

import java.util.HashMap;
import java.util.Map;

/**
 * How full a partition's buffer is, in records. What one share holds beyond a quarter of the buffer is not counted, up to {@link #AHEAD}
 * buffers in all. So behind a flood, or behind payments whose PSP is slow, the loop reads on until it finds the records of others. Records
 * without a known share are all counted. No record is put away for this, and offsets wait for the lowest incomplete record as always.
 * Guarded by its partition's lock.
 */
final class HeldShares {

    /** With records of a kilobyte and twelve partitions: about 60 MB. The limit in bytes applies as well. */
    private static final int AHEAD = 4;

    private final int quarter;
    private final int mostUncounted;
    private final Map<String, Integer> held = new HashMap<>();
    private int all;
    private int beyondQuarters;

    HeldShares(int bufferedRecords) {
        this.quarter = Math.max(1, bufferedRecords / 4);
        this.mostUncounted = (int) Math.min(Integer.MAX_VALUE, (long) AHEAD * bufferedRecords);
    }

    void add(String share) {
        all++;
        if (!share.isEmpty()) {
            beyondQuarters += held.merge(share, 1, Integer::sum) > quarter ? 1 : 0;
        }
    }

    void remove(String share) {
        all--;
        if (!share.isEmpty()) {
            beyondQuarters -= held.get(share) > quarter ? 1 : 0;
            held.compute(share, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    int counted() {
        return all - Math.min(beyondQuarters, mostUncounted);
    }
}
