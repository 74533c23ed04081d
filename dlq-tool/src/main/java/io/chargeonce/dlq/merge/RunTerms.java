// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.merge;

import io.chargeonce.dlq.move.Pace;
import io.chargeonce.dlq.query.DeadLetterFilter;
import java.util.OptionalInt;

/**
 * How careful a merge is.
 *
 * @param canary            so many payments go first, and the rest only once these have ended well; 0 for no canary
 * @param rate              dead letters a second to begin with; as fast as it goes when empty
 * @param maxRate           what the rate doubles up to while all goes well; no limit when empty
 * @param abortAbovePercent more failing again than this share stops the run
 * @param evenCapped        whether payments are merged that were merged too often already
 * @param evenStopped       whether payments are merged that a person stopped on purpose
 */
public record RunTerms(int canary, OptionalInt rate, OptionalInt maxRate, int abortAbovePercent, boolean evenCapped, boolean evenStopped) {

    public static final int USUAL_CANARY = 20;
    public static final int USUAL_ABORT_ABOVE_PERCENT = 10;

    public RunTerms {
        if (canary < 0 || abortAbovePercent < 0 || abortAbovePercent > 100) {
            throw new IllegalArgumentException("a canary is 0 or more, and a share that stops a run is 0 to 100 percent");
        }
        if (rate.isPresent() && rate.getAsInt() < 1 || maxRate.isPresent() && maxRate.getAsInt() < rate.orElse(1)) {
            throw new IllegalArgumentException("a rate is at least 1 a second, and its limit is no lower");
        }
    }

    /** What a person stopped stays, until the selection is known. */
    public RunTerms(int canary, OptionalInt rate, OptionalInt maxRate, int abortAbovePercent, boolean evenCapped) {
        this(canary, rate, maxRate, abortAbovePercent, evenCapped, false);
    }

    RunTerms selecting(DeadLetterFilter filter) {
        return new RunTerms(canary, rate, maxRate, abortAbovePercent, evenCapped, filter.namesStopped());
    }

    /** Everything at this pace, without judging the outcomes. */
    static RunTerms without(Pace pace) {
        return new RunTerms(0, pace.perSecond(), pace.perSecond(), 100, false);
    }
}
