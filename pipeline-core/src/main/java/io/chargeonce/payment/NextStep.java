// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;

/** What happens to an operation after an attempt. {@link Decision} chooses; who is told does it and decides nothing. */
public sealed interface NextStep {

    /** The end: the money moved. */
    record SettleSucceeded(Outcome.Charged charged) implements NextStep {}

    /** The end: this attempt moved no money, and an earlier one turned out to have. */
    record SettleByEarlierCapture() implements NextStep {}

    /** The end: the answer is no. */
    record SettleDeclined(Outcome.Declined declined) implements NextStep {}

    /** A person has taken it out of the queue: it stays there, and nothing is asked any more. */
    record StayPurged() implements NextStep {}

    /** Stop and leave it to a person. */
    record DeadLetter(Outcome.Failed failed) implements NextStep {}

    /** Ask the PSP until the outcome is known; at once if the answer is in the database already. */
    record Resolve(Outcome.Unknown unknown, boolean atOnce) implements NextStep {}

    /** Wait in this tier, then try again under a new attempt; the failed one counts. */
    record RetryLater(RetryTier tier, Outcome.Failed failed) implements NextStep {}

    /** Wait in this tier until the PSP is well; the failed attempt does not count. */
    record Park(RetryTier tier, Outcome.Failed failed) implements NextStep {}

    /**
     * Present it to the same PSP again after the pause, if the merchant opted in and {@code mostIn30Days} of this card and amount are not
     * taken yet; they are counted over all PSPs. If either is not so, {@code otherwise}.
     */
    record PresentAgainIfGranted(Duration pause, int mostIn30Days, SettleDeclined otherwise) implements NextStep {}

    /**
     * A new attempt at once at another PSP of its routes, if one is well where it has not failed since it waited last; else
     * {@code otherwise}.
     */
    record ElsewhereIfWell(NextStep otherwise) implements NextStep {}

    /** The PSP that refused it never gets it again, and a person is told to correct the routes; and then {@code then}. */
    record LeavePsp(Outcome.Failed failed, NextStep then) implements NextStep {}
}
