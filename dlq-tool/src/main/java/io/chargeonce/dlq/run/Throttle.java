// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.move.Pace;
import java.time.Duration;
import java.time.Instant;

/** How fast a run goes now: evenly at a rate, which doubles while all goes well. One thread. */
final class Throttle {

    /** So long a rate is watched before the next one. */
    private static final Duration LEVEL = Duration.ofSeconds(10);

    private RunTerms terms;
    private Pace pace;
    private Instant since;
    private long done;
    private long good;

    Throttle(RunTerms terms, Instant now) {
        this.terms = terms;
        this.pace = new Pace(terms.rate());
        this.since = now;
    }

    Pace pace() {
        return pace;
    }

    /** Goes at the rate of these terms if it is another one than before. */
    void follow(RunTerms now, Instant at) {
        if (!now.rate().equals(terms.rate()) || !now.maxRate().equals(terms.maxRate())) {
            pace = new Pace(now.rate());
            since = at;
            done = 0;
        }
        terms = now;
    }

    /** Zero when the next batch may go. */
    Duration untilNext(Instant now) {
        Duration left = Duration.between(now, since.plus(pace.dueAfter(done)));
        return left.isNegative() ? Duration.ZERO : left;
    }

    void moved(long count) {
        done += count;
    }

    /**
     * Doubles the rate when this one was held for a while and was good for those that ended under it.
     *
     * @param ended so many payments have ended in all
     */
    void review(Instant now, boolean goesWell, long ended) {
        boolean limited = pace.perSecond().isPresent();
        if (limited && goesWell && ended > good && Duration.between(since, now).compareTo(LEVEL) >= 0) {
            pace = pace.doubled(terms.maxRate());
            since = now;
            done = 0;
            good = ended;
        }
    }
}
