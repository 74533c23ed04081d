// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Optional;

/**
 * What a PSP told about an attempt by itself.
 *
 * @param id           the PSP's name for this message: a repeat has the same
 * @param key          of the attempt, from where we had put it in the request
 * @param pspReference what to ask the PSP for
 * @param said         only from a PSP that cannot be asked; else it is looked up and not believed
 */
public record Notice(String id, PspKey key, Optional<String> pspReference, Optional<Said> said) {

    public sealed interface Said {

        /** What the attempt must be about, or nothing of it is believed; empty if it is no amount of a payment. */
        Optional<Money> money();
    }

    /** @param givesBack whether it is about a refund or a reversal rather than a charge */
    public record Ended(Optional<Money> money, boolean givesBack, Outcome outcome) implements Said {}

    /**
     * The money of an authorised payment did not come after all. It may follow a success by days, and decides no attempt.
     *
     * @param at when it happened, by the PSP's clock: messages keep no order
     */
    public record CaptureFailed(Optional<Money> money, Optional<Instant> at, String reason) implements Said {

        public CaptureFailed {
            reason = CardNumbers.hiddenIn(reason);
        }
    }

    /** The money came; of interest only after a {@link CaptureFailed}, which may come later than this message. */
    public record CapturedAgain(Optional<Money> money, Optional<Instant> at) implements Said {}
}
