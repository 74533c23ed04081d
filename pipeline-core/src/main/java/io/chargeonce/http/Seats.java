// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shares a limited resource: each merchant, or each address, may hold at most a part of it, so that none can hold all of it. Only those
 * that hold a seat are remembered. Any thread.
 */
public final class Seats {

    private final int most;
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();

    /** @param most seats that one may hold */
    public Seats(int most) {
        this.most = most;
    }

    /** False if it holds too many already. If true, it must give this one back. */
    public boolean take(String who) {
        boolean[] mine = new boolean[1];
        taken.compute(who, (same, count) -> {
            int now = count == null ? 0 : count;
            mine[0] = now < most;
            return mine[0] ? Integer.valueOf(now + 1) : count;
        });
        return mine[0];
    }

    public void giveBack(String who) {
        taken.computeIfPresent(who, (same, count) -> count == 1 ? null : count - 1);
    }

    public int most() {
        return most;
    }
}
