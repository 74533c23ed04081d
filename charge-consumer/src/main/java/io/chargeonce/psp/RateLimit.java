// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Limits the payments per second that this process sends to a PSP. All processes that send to it share its quota, and the slow start after
 * an outage: the first second takes one payment and each further second twice as many, until the former limit is reached. A process whose
 * share is less than one payment takes one. Without a quota there is no limit until the PSP refuses a payment as too many. Then the limit
 * is the process's own recent rate, less a tenth for each further refusal, and it grows again with time. Its owner guards it.
 */
final class RateLimit {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final double LESS = 0.9;
    /** Added to the limit for each second without a refusal: a twentieth, but at least one payment per second. */
    private static final double MORE = 0.05;
    /** After this time without a refusal there is no limit any more. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    /** The rate has doubled ten times then: 1023 payments went before that. */
    private static final int SECONDS_TO_RECOVER = 10;

    private final double quota;
    private int processes = 1;
    private double perSecond = Double.POSITIVE_INFINITY;
    private double tokens;
    private Instant filledAt = Instant.MIN;
    private Instant refusedAt = Instant.MIN;
    private Instant cutAt = Instant.MIN;
    private Instant pausedUntil = Instant.MIN;
    private Optional<Recovery> recovery = Optional.empty();
    private Instant countedSince = Instant.MIN;
    private int counted;
    private int countedBefore;

    /** @param quota payments per second of all processes together; infinite without one */
    RateLimit(double quota) {
        this.quota = quota;
    }

    /** @param sharing so many processes send to the PSP, this one included */
    void share(int sharing) {
        processes = sharing;
    }

    /** The first seconds after an outage, and what went in the last one of them. */
    private final class Recovery {
        private final Instant since;
        private long second;
        private int taken;

        Recovery(Instant since) {
            this.since = since;
        }

        boolean isOver(Instant now) {
            return !now.isBefore(since.plusSeconds(SECONDS_TO_RECOVER));
        }

        boolean isFull(Instant now) {
            long reached = secondAt(now);
            taken = reached > second ? 0 : taken;
            second = reached;
            return taken >= most(now);
        }

        int most(Instant now) {
            return Math.ceilDiv(1 << secondAt(now), processes);
        }

        /** A clock that steps back starts no second again. */
        private long secondAt(Instant now) {
            return Math.max(second, Duration.between(since, now).toSeconds());
        }

        Duration untilNextSecond(Instant now) {
            return Duration.between(now, since.plusSeconds(second + 1));
        }
    }

    /** @return how long to wait; empty if the payment may go now, and then it is counted */
    Optional<Duration> take(Instant now) {
        if (now.isBefore(pausedUntil)) {
            return Optional.of(Duration.between(now, pausedUntil));
        }
        recovery = recovery.filter(started -> !started.isOver(now));
        Optional<Recovery> full = recovery.filter(started -> started.isFull(now));
        if (full.isPresent()) {
            return full.map(started -> started.untilNextSecond(now));
        }
        if (!Double.isInfinite(most())) {
            fill(now);
            if (tokens < 1) {
                return Optional.of(Duration.ofNanos((long) ((1 - tokens) / most() * SECOND.toNanos()) + 1));
            }
            tokens--;
        }
        recovery.ifPresent(started -> started.taken++);
        count(now);
        return Optional.empty();
    }

    /** @param retryAfter the wait that the PSP requested, if it did */
    void refused(Instant now, Optional<Duration> retryAfter) {
        if (Double.isInfinite(perSecond)) {
            count(now);
            perSecond = Math.max(counted, countedBefore);
        }
        // It grows with the time since the last refusal.
        filledAt = now;
        // The refusals of one second count as one: all of these payments were sent before the first refusal arrived.
        if (!now.isBefore(cutAt.equals(Instant.MIN) ? cutAt : cutAt.plus(SECOND))) {
            perSecond = Math.max(1, perSecond * LESS);
            cutAt = now;
        }
        tokens = Math.min(tokens, 1);
        refusedAt = now;
        Duration pause = retryAfter.orElse(Duration.ZERO);
        Instant until = now.plus(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
        pausedUntil = until.isAfter(pausedUntil) ? until : pausedUntil;
    }

    /** An outage has ended. What waited for its end must not go all at once, and the limit did not grow meanwhile. */
    void recovered(Instant now) {
        recovery = Optional.of(new Recovery(now));
        if (!Double.isInfinite(perSecond)) {
            filledAt = now;
            refusedAt = now;
            tokens = Math.min(tokens, 1);
        }
    }

    private double most() {
        return Math.min(perSecond, quota / processes);
    }

    private void fill(Instant now) {
        boolean isFirst = filledAt.equals(Instant.MIN);
        double seconds = isFirst ? 0 : Math.max(0, Duration.between(filledAt, now).toNanos() / 1e9);
        filledAt = now;
        boolean forgotten = Duration.between(refusedAt, now).compareTo(FORGOTTEN) > 0;
        perSecond = forgotten ? Double.POSITIVE_INFINITY : perSecond + seconds * Math.max(1, perSecond * MORE);
        // A fifth of a second's payments may go at once.
        double atOnce = Math.max(1, most() / 5);
        tokens = isFirst || Double.isInfinite(atOnce) ? Math.min(atOnce, 1) : Math.min(atOnce, tokens + seconds * most());
    }

    private void count(Instant now) {
        if (countedSince.equals(Instant.MIN) || !now.isBefore(countedSince.plus(SECOND))) {
            countedBefore = counted;
            counted = 0;
            countedSince = now;
        }
        counted++;
    }

    /** Payments per second of this process; infinite without a limit. */
    double perSecond(Instant now) {
        return recovery.filter(started -> !started.isOver(now)).map(started -> Math.min(most(), started.most(now))).orElse(most());
    }
}
