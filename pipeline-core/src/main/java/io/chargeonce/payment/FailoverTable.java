package io.chargeonce.payment;

/**
 * What may follow a result: the one table that decides where money may be asked for next. Tiers decide when; this decides
 * where. The index {@code one_open_attempt} refuses whatever would break it.
 */
public final class FailoverTable {

    private FailoverTable() {}

    public static Permission may(AttemptResult last, FollowUp next) {
        return switch (next) {
            case SEND_AGAIN -> sendAgain(last);
            case NEW_ATTEMPT_HERE -> newAttemptHere(last);
            case ANOTHER_PSP -> anotherPsp(last);
        };
    }

    /** A PSP freezes its first answer to a key, so a repeat helps only where there was no answer. */
    private static Permission sendAgain(AttemptResult last) {
        return switch (last) {
            case NOT_SENT -> Permission.YES;
            case RATE_LIMITED, KEY_IN_USE -> Permission.LATER;
            case MAYBE_EXECUTED -> Permission.BY_RESOLVER;
            case CHARGED, NOT_EXECUTED, SOFT_DECLINE, HARD_DECLINE, REFUSED_HERE, ACTION_REQUIRED, KEY_MISMATCH,
                 CREDENTIAL_REFUSED, REQUEST_REFUSED -> Permission.NO;
        };
    }

    private static Permission newAttemptHere(AttemptResult last) {
        return switch (last) {
            case NOT_SENT, RATE_LIMITED, NOT_EXECUTED -> Permission.YES;
            case SOFT_DECLINE -> Permission.WITHIN_RETRY_BUDGET;
            case ACTION_REQUIRED -> Permission.BY_CUSTOMER;
            case CREDENTIAL_REFUSED -> Permission.AFTER_THE_FIX;
            case CHARGED, HARD_DECLINE, REFUSED_HERE, KEY_IN_USE, MAYBE_EXECUTED, KEY_MISMATCH, REQUEST_REFUSED ->
                    Permission.NO;
        };
    }

    private static Permission anotherPsp(AttemptResult last) {
        return switch (last) {
            case NOT_SENT, RATE_LIMITED, NOT_EXECUTED, CREDENTIAL_REFUSED -> Permission.YES;
            case REFUSED_HERE -> Permission.YES_WITH_ALERT;
            case CHARGED, SOFT_DECLINE, HARD_DECLINE, ACTION_REQUIRED, KEY_IN_USE, MAYBE_EXECUTED, KEY_MISMATCH,
                 REQUEST_REFUSED -> Permission.NO;
        };
    }
}
