// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.query.DeadLetterFilter;
import io.chargeonce.dlq.query.MoneyStatus;
import java.util.OptionalInt;

/**
 * How careful a run is.
 *
 * @param givenCanary       so many go first, and the rest only once these have ended well, or a person has looked at them; 0 for no
 *                          canary. Empty until the set is frozen: the usual one of this kind
 * @param rate              dead letters a second to begin with; as fast as it goes when empty
 * @param maxRate           what the rate doubles up to while all goes well; no limit when empty
 * @param abortAbovePercent more failing again than this share stops the run
 * @param evenCapped        whether payments are merged that were merged too often already
 * @param evenStopped       whether payments are merged that a person stopped on purpose
 * @param evenUnresolved    whether payments are purged whose money may have been taken: money that moved is an incident
 */
public record RunTerms(OptionalInt givenCanary, OptionalInt rate, OptionalInt maxRate, int abortAbovePercent, boolean evenCapped,
        boolean evenStopped, boolean evenUnresolved) {

    /** Everything as fast as it goes, whatever becomes of it. */
    public static final RunTerms UNATTENDED = new RunTerms(OptionalInt.of(0), OptionalInt.empty(), OptionalInt.empty(), 100, false);

    /** At least one, and at most {@link #LARGEST_USUAL_CANARY}, for a canary is not slowed down. */
    public static final int USUAL_CANARY_PERCENT = 5;
    public static final int LARGEST_USUAL_CANARY = 100;
    public static final int USUAL_ABORT_ABOVE_PERCENT = 10;

    public RunTerms {
        if (givenCanary.orElse(0) < 0 || abortAbovePercent < 0 || abortAbovePercent > 100) {
            throw new IllegalArgumentException("a canary is 0 or more, and a share that stops a run is 0 to 100 percent");
        }
        if (rate.isPresent() && rate.getAsInt() < 1 || maxRate.isPresent() && maxRate.getAsInt() < rate.orElse(1)) {
            throw new IllegalArgumentException("a rate is at least 1 a second, and its limit is no lower");
        }
    }

    /** What a person stopped stays, until the selection is known. */
    public RunTerms(OptionalInt givenCanary, OptionalInt rate, OptionalInt maxRate, int abortAbovePercent, boolean evenCapped) {
        this(givenCanary, rate, maxRate, abortAbovePercent, evenCapped, false, false);
    }

    /** Of a change that is final at once: there is nothing to judge it by. */
    public static RunTerms unjudged(OptionalInt givenCanary, OptionalInt rate) {
        return new RunTerms(givenCanary, rate, rate, 100, false);
    }

    public RunTerms evenUnresolved(boolean even) {
        return new RunTerms(givenCanary, rate, maxRate, abortAbovePercent, evenCapped, evenStopped, even);
    }

    /** For this selection. What is final at once has no canary unless a person wants one. */
    public RunTerms selecting(RunKind kind, DeadLetterFilter filter) {
        return new RunTerms(kind.isWatched() || givenCanary.isPresent() ? givenCanary : OptionalInt.of(0), rate, maxRate, abortAbovePercent,
                evenCapped, filter.namesStopped(), evenUnresolved);
    }

    /** Whether a merge under these terms lets another attempt be made for what stands so. */
    public boolean chargesAgain(MoneyStatus standing) {
        return switch (standing) {
            case RECHARGEABLE, PAST_DEADLINE -> true;
            case STOPPED -> evenStopped;
            case NEEDS_A_PERSON -> evenCapped;
            case CHARGED, UNRESOLVED, POISON, MENDED, FOREIGN, NO_TARGET -> false;
        };
    }

    /** Of a frozen run. */
    public int canary() {
        return givenCanary.orElseThrow(() -> new IllegalStateException("Bug! The canary is known once the set is frozen"));
    }
}
