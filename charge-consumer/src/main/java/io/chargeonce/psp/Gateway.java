// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import java.time.Duration;
import java.util.Optional;

/**
 * One PSP. Each call is bounded by {@link #callBudget()}, runs on the caller's (virtual) thread, and tells what it knows
 * as an {@link Outcome}; an exception is a bug.
 */
public interface Gateway {

    /** The PSP's name as stored with every attempt. It never changes: keys are derived from it. */
    String psp();

    /** The request for this operation under this key. Stored, and sent in exactly these bytes each time. */
    byte[] render(Operation operation, PspKey key);

    /** How long the PSP remembers a key at least, by its own documentation, less a margin. */
    Duration keyLife();

    /** How long {@link #charge} and {@link #findOut} together take at most. */
    Duration callBudget();

    /** Sends the attempt, for the first time, and only while {@link Charge#lease()} lasts. */
    Outcome charge(Charge charge);

    /**
     * Asks what became of the attempt; sends it again only where {@link Charge#keyIsKnown()}, and that send is counted before
     * its first byte like any other. Where the PSP says that nothing was executed yet, cancels it there: only the PSP's
     * positive answer to that makes the attempt definitely failed. A question that fails, whatever its status, says nothing
     * about the money.
     */
    Outcome findOut(Charge charge);

    /** Whether {@link #findOut} can tell about an attempt without sending it again. If not, a person must look once the key is forgotten. */
    default boolean canBeAsked() {
        return true;
    }

    /** How long after its first byte an attempt may still be missing from what {@link #findOut} looks through. */
    default Duration visibilityLag() {
        return Duration.ofHours(1);
    }

    /**
     * {@link #findOut} has found nothing, twice, past the visibility lag and with the key forgotten by our clock: makes the charge
     * impossible at the PSP, whoever still holds this attempt. Only the PSP's own positive answer proves that. It may send the
     * key, and is counted like any send.
     */
    default Outcome fence(Charge charge) {
        return new Outcome.Unknown(UnknownCause.NOT_FOUND, psp() + " knows of no such attempt and has no way to fence it off",
                Optional.empty());
    }

    /** How it tells by itself what became of attempts; empty for a PSP that does not, or is not set up to. */
    default Optional<Webhook> webhook() {
        return Optional.empty();
    }

    /** How it gives money back; empty for a PSP that cannot. */
    default Optional<RefundGateway> refunds() {
        return Optional.empty();
    }
}
