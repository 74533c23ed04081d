// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/** The share of a PSP's recent attempts that captured. Old ones expire, so a PSP gets another chance. Any thread. */
final class SuccessRate {

    private static final int MOST = 200;
    /** Fewer attempts prove nothing. */
    private static final int FEWEST = 20;
    private static final Duration RECENT = Duration.ofMinutes(5);

    private record Attempt(Instant at, boolean captured) {}

    private final Deque<Attempt> attempts = new ArrayDeque<>();
    private int captures;

    synchronized void add(boolean captured, Instant now) {
        attempts.addLast(new Attempt(now, captured));
        captures += captured ? 1 : 0;
        if (attempts.size() > MOST) {
            forgetOldest();
        }
    }

    /** 0 to 1; 1 while too little is known. */
    synchronized double at(Instant now) {
        while (!attempts.isEmpty() && attempts.getFirst().at().isBefore(now.minus(RECENT))) {
            forgetOldest();
        }
        return attempts.size() < FEWEST ? 1 : (double) captures / attempts.size();
    }

    /** Lets a few captures in a row bring a PSP back, however bad it was before. */
    synchronized void forgetHalf() {
        for (int half = attempts.size() / 2; half > 0; half--) {
            forgetOldest();
        }
    }

    synchronized void forget() {
        attempts.clear();
        captures = 0;
    }

    private void forgetOldest() {
        captures -= attempts.removeFirst().captured() ? 1 : 0;
    }
}
