package io.chargeonce.payment;

/** What might be done after an attempt: the columns of the {@link FailoverTable}. */
public enum FollowUp {
    /** The same bytes again, under the same key, at the same PSP. */
    SEND_AGAIN,
    /** A new attempt, and so a new key, at the same PSP. */
    NEW_ATTEMPT_HERE,
    ANOTHER_PSP
}
