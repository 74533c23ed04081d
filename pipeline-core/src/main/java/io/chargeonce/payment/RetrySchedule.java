package io.chargeonce.payment;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The one place that decides what happens after an attempt. Pure: no clock, no I/O. */
public record RetrySchedule(List<RetryTier> tiers) {

    public RetrySchedule {
        tiers = List.copyOf(tiers);
        for (int i = 0; i < tiers.size(); i++) {
            if (tiers.get(i).number() != i + 1) {
                throw new IllegalArgumentException("retry tiers are numbered 1, 2, 3 … in order");
            }
        }
        if (tiers.isEmpty()) {
            throw new IllegalArgumentException("a retry schedule has at least one tier");
        }
    }

    public static RetrySchedule of(List<Duration> delays) {
        return new RetrySchedule(IntStream.range(0, delays.size())
                .mapToObj(i -> new RetryTier(i + 1, delays.get(i))).toList());
    }

    /**
     * @param wellForOthers whether the PSP was well for other payments while this one failed there; if not, its own trouble is
     *                      nothing that the payment could help, and is not counted
     */
    public NextStep after(Progress progress, Outcome outcome, boolean wellForOthers) {
        return switch (outcome) {
            case Outcome.Charged charged -> new NextStep.SettleSucceeded(charged);
            case Outcome.Declined declined -> new NextStep.SettleDeclined(declined);
            case Outcome.Unknown unknown -> new NextStep.Resolve(unknown);
            case Outcome.Failed failed -> switch (failed.cause().failureClass()) {
                case NOT_SENT, RATE_LIMITED, CONFIG -> new NextStep.Park(parkingTier(progress), failed);
                case RETRYABLE -> wellForOthers || !failed.cause().mayBeAnOutage()
                        ? cascade(progress, failed) : new NextStep.Park(parkingTier(progress), failed);
                case REFUSED_HERE -> cascade(progress, failed);
                case POISON -> new NextStep.DeadLetter(failed);
            };
        };
    }

    /** An outage climbs to the longest tier and stays there, so that it costs little and dead-letters nothing. */
    public RetryTier parkingTier(Progress progress) {
        return tiers.get(Math.min(progress.tier(), tiers.size() - 1));
    }

    /** How long before its due time something began to wait in this tier; nothing for the main topic. */
    public Duration delayOf(int tier) {
        return tier < 1 || tier > tiers.size() ? Duration.ZERO : tiers.get(tier - 1).delay();
    }

    /** How long an operation is on its way through all tiers at least. */
    public Duration total() {
        return tiers.stream().map(RetryTier::delay).reduce(Duration.ZERO, Duration::plus);
    }

    private NextStep cascade(Progress progress, Outcome.Failed failed) {
        return progress.countedAttempts() < tiers.size()
                ? new NextStep.RetryLater(tiers.get(progress.countedAttempts()), failed)
                : new NextStep.DeadLetter(failed);
    }
}
