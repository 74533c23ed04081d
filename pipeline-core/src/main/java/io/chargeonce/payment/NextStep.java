package io.chargeonce.payment;

/** What happens to an operation after an attempt. */
public sealed interface NextStep {

    /** The end: the money moved. */
    record SettleSucceeded(Outcome.Charged charged) implements NextStep {}

    /** The end: the answer is no. */
    record SettleDeclined(Outcome.Declined declined) implements NextStep {}

    /** Wait in this tier, then try again under a new attempt; the failed one counts. */
    record RetryLater(RetryTier tier, Outcome.Failed failed) implements NextStep {}

    /** Wait in this tier until the PSP is well; the failed attempt does not count. */
    record Park(RetryTier tier, Outcome.Failed failed) implements NextStep {}

    /** Ask the PSP until the outcome is known. */
    record Resolve(Outcome.Unknown unknown) implements NextStep {}

    /** Stop and leave it to a person. */
    record DeadLetter(Outcome.Failed failed) implements NextStep {}
}
