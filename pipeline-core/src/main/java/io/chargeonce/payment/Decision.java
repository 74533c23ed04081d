// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Decides what follows an attempt, and is the only place that does. docs/after-an-outcome.md shows it as a table, which a test compares
 * with this class. Pure: no clock, no I/O.
 */
public final class Decision {

    private static final List<Duration> PAUSES = List.of(Duration.ofDays(1), Duration.ofDays(3), Duration.ofDays(5), Duration.ofDays(7));
    /** Money arrives on pay day, not overnight. */
    private static final Duration WITHOUT_MONEY = Duration.ofDays(3);
    /** Visa fines from the 16th within 30 days; Mastercard's limit is higher. */
    public static final int MOST_IN_30_DAYS = 15;

    private Decision() {}

    public static NextStep after(Outcome answer, Situation at, RetrySchedule schedule) {
        // A known capture outranks every other answer about the attempt.
        Outcome outcome = at.capturedAs().<Outcome>map(Outcome.Charged::new).orElse(answer);
        return switch (outcome) {
            case Outcome.Charged charged -> new NextStep.SettleSucceeded(charged);
            case Outcome.Unknown unknown -> new NextStep.Resolve(unknown, at.failedAlready());
            case Outcome.Declined declined -> overtaken(at).orElseGet(() -> afterDecline(declined, at));
            case Outcome.Failed failed -> overtaken(at).orElseGet(() -> afterFailure(failed, at, schedule));
        };
    }

    /** Without this attempt's money the operation has already ended. */
    private static Optional<NextStep> overtaken(Situation at) {
        return at.anotherCaptured() ? Optional.of(new NextStep.SettleByEarlierCapture())
                : at.canceling() ? Optional.of(new NextStep.Cancel())
                        : at.purged() ? Optional.of(new NextStep.StayPurged()) : Optional.empty();
    }

    private static NextStep afterDecline(Outcome.Declined declined, Situation at) {
        NextStep here = presentAgainHere(declined, at);
        return mayGoElsewhere(at) && declined.failover() != DeclineFailover.NEVER
                ? new NextStep.PresentElsewhereIfGranted(declined.failover(), MOST_IN_30_DAYS, here) : here;
    }

    private static NextStep presentAgainHere(Outcome.Declined declined, Situation at) {
        var settle = new NextStep.SettleDeclined(declined);
        int mostTimes = switch (declined.kind()) {
            case SOFT -> PAUSES.size();
            case SOFT_ONCE -> 1;
            case HARD, ACTION_REQUIRED, ASK_FIRST -> 0;
        };
        if (at.kind() != OperationKind.CHARGE || at.represented() >= mostTimes) {
            return settle;
        }
        boolean withoutMoney = declined.code().equals("insufficient_funds") && at.represented() == 0;
        return new NextStep.PresentAgainIfGranted(withoutMoney ? WITHOUT_MONEY : PAUSES.get(at.represented()), MOST_IN_30_DAYS, settle);
    }

    private static NextStep afterFailure(Outcome.Failed failed, Situation at, RetrySchedule schedule) {
        NextStep here = switch (failed.cause().failureClass()) {
            case NOT_SENT, RATE_LIMITED, CONFIG, RETRYABLE, REFUSED_HERE -> counts(failed.cause(), at.pspWellForOthers())
                    ? schedule.tierAfter(at.progress().countedAttempts()).<NextStep>map(tier -> new NextStep.RetryLater(tier, failed))
                            .orElseGet(() -> new NextStep.DeadLetter(failed))
                    : new NextStep.Park(schedule.parkingTier(at.progress()), failed);
            case POISON, FOUND_BY_HAND -> new NextStep.DeadLetter(failed);
        };
        NextStep step = mayGoElsewhere(at) && nextPsp(failed.cause()).allows(false) ? new NextStep.ElsewhereIfWell(here) : here;
        return failed.cause().failureClass() == FailureClass.REFUSED_HERE ? new NextStep.LeavePsp(failed, step) : step;
    }

    /** Money goes back where it was captured. A payment that was presented again goes on at the PSP that got it then. */
    private static boolean mayGoElsewhere(Situation at) {
        return at.canGoOn() && at.kind() == OperationKind.CHARGE && at.represented() == 0;
    }

    /**
     * Whether a failure counts as one of the payment's attempts. A PSP's outage does not count, and neither does a request that never left
     * us.
     */
    public static boolean counts(FailureCause cause, boolean pspWellForOthers) {
        return switch (cause.failureClass()) {
            case RETRYABLE -> pspWellForOthers || !cause.mayBeAnOutage();
            case REFUSED_HERE -> true;
            case NOT_SENT, RATE_LIMITED, CONFIG, POISON, FOUND_BY_HAND -> false;
        };
    }

    /** Where the next attempt may go after a failure, at once or after a wait. After a decline it is {@link NextPsp#THIS}. */
    public static NextPsp nextPsp(FailureCause cause) {
        return switch (cause.failureClass()) {
            case NOT_SENT, RATE_LIMITED, CONFIG, RETRYABLE -> NextPsp.ANY;
            case REFUSED_HERE -> NextPsp.ANOTHER;
            case POISON, FOUND_BY_HAND -> NextPsp.NONE;
        };
    }
}
