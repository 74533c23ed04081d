// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;

/** The part of a PSP that gives money back. The same rules as for {@link Gateway}. */
public interface RefundGateway {

    /** The request for giving back this operation's amount of that capture. */
    byte[] render(Operation refund, Capture capture, PspKey key);

    /** Sends the attempt, for the first time. {@link Outcome.Charged} says that the money goes back. */
    Outcome refund(Refund refund);

    /** Asks what became of the attempt, and sends it again only where {@link Refund#mayBeSent()}. */
    Outcome findOut(Refund refund);

    /** {@link #findOut} has found nothing, twice, past the visibility lag and with the key forgotten: settles the attempt there. */
    default Outcome fence(Refund refund) {
        return new Outcome.Unknown(UnknownCause.NOT_FOUND,
                "the PSP knows of no such refund, and nothing there keeps it from being made late", refund.pspReference());
    }
}
