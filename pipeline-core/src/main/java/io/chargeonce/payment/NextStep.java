// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.time.Duration;

/** What happens to an operation after an attempt. {@link Decision} chooses it; the caller carries it out and decides nothing. */
public sealed interface NextStep {

    /** Whether the PSP declined the payment, and this is what comes of it. */
    default boolean isOfADecline() {
        return this instanceof SettleDeclined || this instanceof PresentAgainIfGranted || this instanceof PresentElsewhereIfGranted;
    }

    /** The end: the money moved. */
    record SettleSucceeded(Outcome.Charged charged) implements NextStep {}

    /** The end: this attempt moved no money, and an earlier one turned out to have moved it. */
    record SettleByEarlierCapture() implements NextStep {}

    /** The end: the payment was declined. */
    record SettleDeclined(Outcome.Declined declined) implements NextStep {}

    /** The end: a cancel was requested, and this attempt moved no money. */
    record Cancel() implements NextStep {}

    /** A person has purged it: it stays purged, and nothing more is asked. */
    record StayPurged() implements NextStep {}

    /** Stop, and leave it to a person. */
    record DeadLetter(Outcome.Failed failed) implements NextStep {}

    /** Ask the PSP until the outcome is known. At once, if the database already has the answer. */
    record Resolve(Outcome.Unknown unknown, boolean atOnce) implements NextStep {}

    /** Wait in this tier, then try again under a new attempt; the failed one counts. */
    record RetryLater(RetryTier tier, Outcome.Failed failed) implements NextStep {}

    /** Wait in this tier until the PSP is well; the failed attempt does not count. */
    record Park(RetryTier tier, Outcome.Failed failed) implements NextStep {}

    /**
     * Present it to the same PSP again after the pause, if the merchant opted in and fewer than {@code mostIn30Days} presentations of this
     * card and amount were made, counted over all PSPs. If not, {@code otherwise}.
     */
    record PresentAgainIfGranted(Duration pause, int mostIn30Days, SettleDeclined otherwise) implements NextStep {}

    /**
     * A new attempt at once, at another PSP of its routes that is well and where it has not failed since its last wait. If there is none,
     * {@code otherwise}.
     */
    record ElsewhereIfWell(NextStep otherwise) implements NextStep {}

    /**
     * The same after a decline, if the merchant's setting reaches {@code least} and fewer than {@code mostIn30Days} presentations of this
     * card and amount were made. It counts as one of them.
     */
    record PresentElsewhereIfGranted(DeclineFailover least, int mostIn30Days, NextStep otherwise) implements NextStep {}

    /** The refusing PSP never gets it again, and an alert asks a person to correct the routes. Then {@code then}. */
    record LeavePsp(Outcome.Failed failed, NextStep then) implements NextStep {}
}
