// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import java.util.ArrayDeque;

/** The last few hundred outcomes of a run, so that a run that began well is stopped soon after it goes badly. One thread. */
final class RecentOutcomes {

    private static final int ENOUGH = 200;
    private static final int TOO_FEW_TO_JUDGE = 20;

    private final ArrayDeque<Outcomes> latest = new ArrayDeque<>();
    private Outcomes sum = Outcomes.NONE;

    void add(Outcomes heard) {
        if (heard.judged() == 0) {
            return;
        }
        latest.add(heard);
        sum = sum.plus(heard);
        while (sum.judged() - latest.getFirst().judged() >= ENOUGH) {
            sum = sum.minus(latest.removeFirst());
        }
    }

    boolean areWorseThan(int percent) {
        return sum.judged() >= TOO_FEW_TO_JUDGE && sum.isWorseThan(percent, sum.judged());
    }

    /** Far from being stopped. */
    boolean areGood(int percent) {
        return sum.bad() * 200 <= percent * sum.judged();
    }

    Outcomes sum() {
        return sum;
    }
}
