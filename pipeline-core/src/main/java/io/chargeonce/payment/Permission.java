package io.chargeonce.payment;

/** Whether a {@link FollowUp} is allowed, and on what terms. */
public enum Permission {
    YES,
    NO,
    /** Not before the time that the PSP asked for, or the tier's. */
    LATER,
    /** The resolver's alone: it asks, and sends again only while the PSP still remembers the key. */
    BY_RESOLVER,
    /** Only as the merchant's opt-in re-presentment, in days and within the retry budget. */
    WITHIN_RETRY_BUDGET,
    /** Only the customer can bring it on, with a new payment. */
    BY_CUSTOMER,
    /** Once a person has put our credential right; the breaker keeps it away until then. */
    AFTER_THE_FIX,
    YES_WITH_ALERT;

    /** Whether the engine itself may make a new attempt on these terms. */
    public boolean allowsAnAttempt() {
        return switch (this) {
            case YES, LATER, WITHIN_RETRY_BUDGET, AFTER_THE_FIX, YES_WITH_ALERT -> true;
            case NO, BY_RESOLVER, BY_CUSTOMER -> false;
        };
    }
}
