// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.FailureClass;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The health of one PSP, from the answers to this process and to the others. Any thread. */
final class PspHealth {

    /** How long a good answer counts if there was no other. */
    private static final Duration GOOD_FOR = Duration.ofMinutes(1);
    /** How long a PSP comes last after a failure, unless it answers well before that. */
    private static final Duration AVOIDED_FOR = Duration.ofSeconds(30);

    /** How long a process counts as one that sends payments there, after its last payment for it. */
    private static final Duration SHARES_FOR = Duration.ofMinutes(1);

    /** A call under way. */
    record Begun(Instant at, FailureShare.Call call) {}

    private final InstantSource clock;
    private final Duration openFor;
    private final Breaker breaker;
    private final FailureShare share;
    private final SuccessRate rate = new SuccessRate();
    private final RateLimit limit;
    /** A process that starts knows of no trouble, and tells the others of no success: it has seen none. */
    private final Instant started;
    /** When the latest call began that was answered well, here or to another process. */
    private Instant lastGood = Instant.MIN;
    private Instant lastBad = Instant.MIN;
    /** The first failure of the current row. */
    private Instant rowSince = Instant.MIN;
    /** The latest period of trouble: from its first failure, which looked like the payment's own, to its end. */
    private Instant unwellFrom = Instant.MIN;
    private Instant lastUnwell = Instant.MIN;
    private Optional<Instant> nextTrial = Optional.empty();
    /** When a payment last wanted to go there. */
    private Instant lastAsked = Instant.MIN;

    /** @param quota payments per second of all processes together; infinite without one */
    PspHealth(Duration openFor, double quota, InstantSource clock) {
        this.limit = new RateLimit(quota);
        this.clock = clock;
        this.openFor = openFor;
        this.breaker = new Breaker(openFor);
        this.share = new FailureShare(clock);
        this.started = clock.instant();
    }

    synchronized boolean isWell() {
        return breaker.state() == Breaker.State.CLOSED;
    }

    /** @return whether the caller's payment probes if the PSP is well again */
    synchronized boolean takeProbe() {
        Instant now = clock.instant();
        lastAsked = isWell() ? lastAsked : now;
        return breaker.takeProbe(now);
    }

    /** The same for a PSP whose success rate is poor: now and then one payment shows whether it still is. */
    synchronized boolean takeTrial(double best) {
        Instant now = clock.instant();
        if (!isPoor(best)) {
            nextTrial = Optional.empty();
            return false;
        }
        boolean due = nextTrial.filter(time -> !time.isAfter(now)).isPresent();
        if (due || nextTrial.isEmpty()) {
            nextTrial = Optional.of(now.plus(openFor));
        }
        return due && isWell() && limit.take(now).isEmpty();
    }

    /** @return how long to wait; empty if the payment may go now */
    synchronized Optional<Duration> take() {
        lastAsked = clock.instant();
        return limit.take(lastAsked);
    }

    double successRate() {
        return rate.at(clock.instant());
    }

    /** Whether other PSPs come first: it declines what they accept, or it has failed since its last good answer. */
    synchronized boolean comesLast(double best) {
        return isPoor(best) || lastBad.isAfter(lastGood) && lastBad.plus(AVOIDED_FOR).isAfter(clock.instant());
    }

    private boolean isPoor(double best) {
        return successRate() < best / 2;
    }

    Begun begin() {
        return new Begun(clock.instant(), share.begin());
    }

    /**
     * @param suspect whether the payment has waited in a tier: that it alone fails once more says little about the PSP
     * @return whether our credential was refused
     */
    synchronized boolean end(Begun begun, String payment, boolean suspect, Outcome outcome, double bestOfAll) {
        Instant now = clock.instant();
        boolean bad = saysUnwell(outcome);
        boolean wasWellElsewhere = isWellElsewhere();
        if (outcome instanceof Outcome.Charged || outcome instanceof Outcome.Declined) {
            lastGood = later(begun.at, lastGood);
        }
        rate(outcome, bestOfAll);
        if (outcome instanceof Outcome.Failed failed && failed.cause().failureClass() == FailureClass.RATE_LIMITED) {
            limit.refused(now, failed.retryAfter());
        }
        if (isOurs(outcome)) {
            share.leaveOut(begun.call);
        } else if (breaker.isJudgedBy(begun.at)) {
            share.leaveOut(begun.call);
            if (bad && suspect && !neverArrived(outcome) && wasWellElsewhere) {
                // It failed by itself. Without this rule, such payments would keep all others of this process waiting for ever.
                breaker.probeAgain(now);
            } else {
                judge(bad, wasWellElsewhere, now);
            }
        } else if (bad && suspect && !neverArrived(outcome)) {
            rowSince = share.isRowEmpty() ? now : rowSince;
            if (share.endSuspect(begun.call, payment)) {
                lastBad = now;
                open(now);
            }
        } else {
            rowSince = bad && share.isRowEmpty() ? now : rowSince;
            lastBad = bad ? now : lastBad;
            if (share.end(begun.call, payment, bad)) {
                open(now);
            }
        }
        boolean refused = outcome instanceof Outcome.Failed failed && failed.cause().failureClass() == FailureClass.CONFIG;
        if (refused) {
            // The next payment would be refused too, so one answer is enough.
            open(now);
        }
        return refused;
    }

    private void rate(Outcome outcome, double bestOfAll) {
        if (!isUnderWay(outcome)) {
            boolean wasPoor = isPoor(bestOfAll);
            rate.add(outcome instanceof Outcome.Charged, clock.instant());
            if (wasPoor && outcome instanceof Outcome.Charged) {
                rate.forgetHalf();
            }
        }
    }

    /** @param wasWellElsewhere whether the period of trouble had ended before this answer */
    private void judge(boolean bad, boolean wasWellElsewhere, Instant now) {
        if (bad) {
            lastBad = now;
            open(now);
        } else {
            lastUnwell = wasWellElsewhere ? lastUnwell : now;
            close(now);
        }
    }

    private void close(Instant now) {
        breaker.close();
        limit.recovered(now);
        share.forget();
        // Failures of the outage must not keep the PSP without payments after it.
        rate.forget();
    }

    /** A good answer anywhere after the trouble that is known ended it, although no payment has closed this process's breaker since. */
    private void open(Instant now) {
        if (isWell() || isWellElsewhere()) {
            Instant recent = now.minus(FailureShare.RECENT);
            unwellFrom = later(rowSince.isAfter(recent) || !share.isRowEmpty() ? rowSince : recent, lastGood);
        }
        lastUnwell = now;
        breaker.open(now);
    }

    /** Whether a failure at this time turned out to be the PSP's fault: other payments failed right after it too. */
    synchronized boolean wasUnwellAt(Instant failed) {
        return !failed.isBefore(unwellFrom) && !failed.isAfter(lastUnwell);
    }

    /**
     * Whether a payment that failed here failed by itself: the PSP was well for others meanwhile.
     *
     * @param since a good answer to another payment after this time proves it; so does a recent one, if no trouble was found since
     */
    synchronized boolean wasWellForOthers(Instant since) {
        boolean unwell = !isWell() && !isWellElsewhere() || !lastUnwell.isBefore(since);
        Instant good = later(lastGood, started);
        return !unwell && (good.isAfter(since) || good.plus(GOOD_FOR).isAfter(clock.instant()));
    }

    /** Whether it answered another process well after this one last found it unwell. */
    private boolean isWellElsewhere() {
        return lastGood.isAfter(lastUnwell);
    }

    /** What this process reports to the others. */
    synchronized PspHealthReport news() {
        return new PspHealthReport(lastGood, lastBad, unwellFrom, lastUnwell, !isWell(), share.row(), share.inARow(), lastAsked);
    }

    /** Takes over what the other processes know. */
    synchronized void learn(List<PspHealthReport> others) {
        Instant now = clock.instant();
        limit.share(1 + (int) others.stream().filter(news -> news.lastAsked().isAfter(now.minus(SHARES_FOR))).count());
        Instant good = others.stream().map(PspHealthReport::lastGood).reduce(lastGood, PspHealth::later);
        if (good.isAfter(lastUnwell) && good.isAfter(lastGood)) {
            breaker.probeSoon(now);
        }
        lastGood = good;
        if (good.isAfter(rowSince)) {
            share.endRow();
        }
        others.stream().filter(news -> news.lastUnwell().isAfter(lastUnwell)).forEach(this::learnTrouble);
        boolean isUnwellElsewhere = others.stream().anyMatch(news -> news.isOpen() && news.lastBad().isAfter(good));
        if (isWell() && isUnwellElsewhere) {
            breaker.open(now);
        } else if (!isWell() && !isUnwellElsewhere && isWellElsewhere() && lastAsked.isBefore(now.minus(SHARES_FOR))) {
            // It has no payment that could probe.
            close(now);
        }
        List<PspHealthReport> failing = others.stream().filter(news -> !news.inARow().isEmpty() && news.lastBad().isAfter(good)).toList();
        if (isWell() && !failing.isEmpty() && share.isUnwellWith(failing)) {
            rowSince = failing.stream().map(PspHealthReport::lastBad)
                    .reduce(share.row() == 0 ? now : rowSince, (one, other) -> one.isBefore(other) ? one : other);
            open(now);
        }
    }

    /** It is one period of trouble if theirs began before ours ended. */
    private void learnTrouble(PspHealthReport news) {
        boolean another = news.unwellFrom().isAfter(lastUnwell);
        unwellFrom = another || news.unwellFrom().isBefore(unwellFrom) ? news.unwellFrom() : unwellFrom;
        lastUnwell = news.lastUnwell();
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    double paymentsPerSecond() {
        synchronized (this) {
            return limit.perSecond(clock.instant());
        }
    }

    /** Some PSPs, above all for refunds, answer that our request is still under way. They are well. */
    private static boolean isUnderWay(Outcome outcome) {
        return outcome instanceof Outcome.Unknown unknown
                && (unknown.cause() == UnknownCause.STILL_PROCESSING || unknown.cause() == UnknownCause.KEY_IN_USE);
    }

    /** Independent of the payment. */
    private static boolean neverArrived(Outcome outcome) {
        return outcome instanceof Outcome.Failed failed && failed.cause().failureClass() == FailureClass.NOT_SENT;
    }

    /** Nothing was sent, so nothing was learnt: such an end of a probe is no answer. */
    private static boolean isOurs(Outcome outcome) {
        return outcome instanceof Outcome.Failed failed && failed.cause() == FailureCause.TOO_LATE_TO_SEND;
    }

    private static boolean saysUnwell(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Charged charged -> false;
            case Outcome.Declined declined -> false;
            case Outcome.Unknown unknown -> !isUnderWay(outcome);
            // Our own stall.
            case Outcome.Failed failed when failed.cause() == FailureCause.TOO_LATE_TO_SEND -> false;
            case Outcome.Failed failed -> switch (failed.cause().failureClass()) {
                case NOT_SENT, CONFIG, RETRYABLE -> true;
                // A PSP that reports too many requests is well.
                case RATE_LIMITED, REFUSED_HERE, POISON, FOUND_BY_HAND -> false;
            };
        };
    }
}
