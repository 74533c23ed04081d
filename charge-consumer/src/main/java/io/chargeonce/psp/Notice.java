// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.ledger.Dispute;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Optional;

/**
 * A PSP's webhook about an attempt.
 *
 * @param id           the PSP's id of this message: a repeat has the same
 * @param key          of the attempt, as we had sent it in the request
 * @param pspReference the reference to ask the PSP about
 * @param said         the content, only from a PSP that cannot be asked; with any other, the payment is looked up
 * @param account      the PSP's name of the account that it is about; empty for that of the reader
 */
public record Notice(String id, PspKey key, Optional<String> pspReference, Optional<Said> said, Optional<String> account) {

    /** About the reader's own account. */
    public Notice(String id, PspKey key, Optional<String> pspReference, Optional<Said> said) {
        this(id, key, pspReference, said, Optional.empty());
    }

    public sealed interface Said {

        /** The amount, which must be the attempt's, or the message is not trusted; empty if it is no amount of a payment. */
        Optional<Money> money();
    }

    /** @param givesBack whether it is about a refund or a reversal instead of a charge */
    public record Ended(Optional<Money> money, boolean givesBack, Outcome outcome) implements Said {}

    /**
     * The money of an authorised payment did not arrive after all. It may follow a success by days, and decides no attempt.
     *
     * @param at when it happened, by the PSP's clock: messages arrive in any order
     */
    public record CaptureFailed(Optional<Money> money, Optional<Instant> at, String reason) implements Said {

        public CaptureFailed {
            reason = CardNumbers.hiddenIn(reason);
        }
    }

    /** A dispute of a captured payment. It decides no attempt, and its amount may be a part of the payment's. */
    public record Disputed(Dispute.Report report) implements Said {

        @Override
        public Optional<Money> money() {
            return report.money();
        }
    }

    /**
     * Money went back, or may, without a request of ours: a cancellation, a refund that a person made at the PSP. It decides no attempt.
     *
     * @param event in the PSP's words
     */
    public record TakenBack(Optional<Money> money, String event, String why) implements Said {

        public TakenBack {
            why = CardNumbers.hiddenIn(why);
        }
    }

    /** The money arrived. Relevant only after a {@link CaptureFailed}, which may arrive later than this message. */
    public record CapturedAgain(Optional<Money> money, Optional<Instant> at) implements Said {}
}
