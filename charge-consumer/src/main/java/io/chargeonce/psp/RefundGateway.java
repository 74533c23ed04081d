// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;

/** The part of a PSP that gives money back. The rules of {@link Gateway} apply. */
public interface RefundGateway {

    /** The request for giving back this operation's amount of that capture. */
    byte[] render(Operation refund, Capture capture, PspKey key);

    /** Sends the attempt for the first time. {@link Outcome.Charged} means that the money goes back. */
    Outcome refund(Refund refund);

    /** Asks the PSP for the outcome of the attempt, and sends it again only if {@link Refund#mayBeSent()}. */
    Outcome findOut(Refund refund);

    /** Whether {@link #fence} may move money. */
    default boolean fenceMayExecute() {
        return false;
    }

    /**
     * Called when {@link #findOut} has found nothing twice, after the visibility lag and the key's life. Settles the attempt at the PSP.
     */
    default Outcome fence(Refund refund) {
        return new Outcome.Unknown(UnknownCause.NOT_FOUND,
                "the PSP knows no such refund, and has no way to prevent that it is made late", refund.pspReference());
    }
}
