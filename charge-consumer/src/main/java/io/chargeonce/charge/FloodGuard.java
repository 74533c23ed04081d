// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a topic from being emptied into the dead-letter queue. While nearly all records end as dead letters in this process, only a
 * few per second are let through. The others are given back untouched, before anything is decided about them, so that the loop's
 * buffers fill and it stops reading. The records that are let through show when the cause is gone.
 *
 * <p>A failure that hits only one merchant, or only unreadable records, is no flood: while other merchants do well, its dead letters go
 * to the queue in its turns, and the records of merchants that do well are never held back. A merchant without a history counts as
 * doing well, until too many of these ended as dead letters: a failure of many merchants with a few payments each is a flood too.
 * Any thread.
 */
final class FloodGuard {

    private static final Logger LOG = LoggerFactory.getLogger(FloodGuard.class);

    /** This many ends, within a minute, are judged together. Fewer dead letters are no flood. */
    private static final int JUDGED = 200;
    private static final Duration JUDGED_WITHIN = Duration.ofMinutes(1);
    private static final int JUDGED_IN_A_FLOOD = 20;
    private static final int NEARLY_ALL_PERCENT = 95;
    /** Long enough that thousands of returning records cost nothing. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** After this many a share does not do well. */
    private static final int DEAD_IN_A_ROW = 20;
    /** How recently another share must have done well. With a longer time, a cause that hits all would be noticed that much later. */
    private static final Duration LATELY = Duration.ofSeconds(5);
    private static final int MOST_SHARES = 10_000;
    /**
     * During a flood: how many dead letters shares may cause that were not known to do badly. After that only shares that did well during
     * the flood go on freely.
     */
    private static final int MOST_DOUBTS = 100;

    private static final class Share {
        private int deadInARow;
        private Instant endedWell = Instant.MIN;
    }

    private final Duration betweenRecords;
    private final InstantSource clock;
    private final Counter heldBack;

    /** By merchant. The one with the oldest end is dropped first. */
    private final Map<String, Share> shares = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Share> eldest) {
            return size() > MOST_SHARES;
        }
    };
    private boolean flood;
    private int ended;
    private int dead;
    private Instant judgedSince = Instant.MIN;
    private Instant nextThrough = Instant.MIN;
    private Instant floodSince = Instant.MIN;
    private int doubts;

    /** @param perSecond records per second that are let through during a flood; 0 always lets all through */
    FloodGuard(int perSecond, InstantSource clock, MeterRegistry meters) {
        this.betweenRecords = perSecond == 0 ? Duration.ZERO : Duration.ofSeconds(1).dividedBy(perSecond);
        this.clock = clock;
        this.heldBack = meters.counter("chargeonce.dlq.flood.held.back");
        meters.gauge("chargeonce.dlq.flood", this, guard -> guard.problem().isPresent() ? 1 : 0);
    }

    /**
     * Called before a record is processed. Returns when to hand it over again, or empty if it may go on.
     *
     * @param share the record's share, which is computed only during a flood
     */
    synchronized Optional<Duration> holdBack(Supplier<String> share) {
        if (!flood || isTrusted(shares.get(share.get()))) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        if (now.isBefore(nextThrough)) {
            heldBack.increment();
            return Optional.of(PAUSE);
        }
        nextThrough = now.plus(betweenRecords);
        return Optional.empty();
    }

    private boolean isTrusted(Share share) {
        return share == null ? doubts < MOST_DOUBTS : doesWell(share) && (doubts < MOST_DOUBTS || hasDoneWellInTheFlood(share));
    }

    private static boolean doesWell(Share share) {
        return share.deadInARow < DEAD_IN_A_ROW;
    }

    private boolean hasDoneWellInTheFlood(Share share) {
        return !share.endedWell.isBefore(floodSince);
    }

    /** A failure hits only a few while at least as many shares do well. A lone merchant has no others. */
    private boolean hitsOnlyAFew(Instant now) {
        long badly = shares.values().stream().filter(share -> !doesWell(share)).count();
        long well = shares.values().stream().filter(share -> doesWell(share) && now.isBefore(share.endedWell.plus(LATELY))).count();
        return well >= badly && well + badly > 1;
    }

    /** An operation or a record of this share has ended. */
    synchronized void ended(String of, boolean asDeadLetter) {
        if (betweenRecords.isZero()) {
            return;
        }
        Instant now = clock.instant();
        Share share = shares.computeIfAbsent(of, first -> new Share());
        doubts += flood && asDeadLetter && doesWell(share) && !hasDoneWellInTheFlood(share) ? 1 : 0;
        share.deadInARow = asDeadLetter ? share.deadInARow + 1 : 0;
        share.endedWell = asDeadLetter ? share.endedWell : now;
        if (!flood && now.isAfter(judgedSince.plus(JUDGED_WITHIN))) {
            restartCount(now);
        }
        ended++;
        dead += asDeadLetter ? 1 : 0;
        if (ended == (flood ? JUDGED_IN_A_FLOOD : JUDGED)) {
            judge(now);
        }
    }

    /** What is wrong, in one line; empty if there is no flood. */
    synchronized Optional<String> problem() {
        return flood ? Optional.of("nearly all payments and records end as dead letters here, so only a few go on until that changes; "
                + "see 'dlq summary' for the cause, and CHARGEONCE_FLOOD_RATE to let them all through") : Optional.empty();
    }

    private void judge(Instant now) {
        boolean nearlyAll = dead * 100 >= ended * NEARLY_ALL_PERCENT && !hitsOnlyAFew(now);
        if (nearlyAll && !flood) {
            LOG.error(
                    "ALERT: {} of the last {} payments and records ended as dead letters. From now on {} per second go on, and the others "
                            + "wait in their topic. Run 'dlq summary' and fix the cause; CHARGEONCE_FLOOD_RATE=0 lets them all through",
                    dead, ended,
                    Duration.ofSeconds(1).dividedBy(betweenRecords));
        } else if (!nearlyAll && flood) {
            LOG.warn("The flood of dead letters is over: {} of the last {} ended well, and everything goes on", ended - dead, ended);
        }
        if (nearlyAll != flood) {
            floodSince = now;
            doubts = 0;
        }
        flood = nearlyAll;
        restartCount(now);
    }

    private void restartCount(Instant now) {
        judgedSince = now;
        ended = 0;
        dead = 0;
    }
}
