// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import java.time.Duration;
import java.util.Optional;

/**
 * One PSP. Each call is bounded by {@link #callBudget()}, runs on the caller's (virtual) thread, and returns what is known as an {@link
 * Outcome}. An exception is a bug.
 */
public interface Gateway {

    /** The PSP's name as stored with every attempt. It never changes: keys are derived from it. */
    String psp();

    /** The request for this operation under this key. It is stored, and each send uses exactly these bytes. */
    byte[] render(Operation operation, PspKey key);

    /** The shortest time that the PSP remembers a key, by its own documentation, less a margin. */
    Duration keyLife();

    /** The longest time of {@link #charge} and {@link #findOut} together. */
    Duration callBudget();

    /** Sends the attempt for the first time, and only while {@link Charge#lease()} lasts. */
    Outcome charge(Charge charge);

    /**
     * Asks the PSP for the outcome of the attempt. Sends it again only if {@link Charge#mayBeSent()}, and that send is counted before its
     * first byte like any other. If the PSP says that nothing was executed yet, cancels the attempt there: only the PSP's positive answer
     * to that makes the attempt definitely failed. A failed status query, whatever its status, says nothing about the money.
     */
    Outcome findOut(Charge charge);

    /**
     * Whether {@link #findOut} can find an attempt without sending it again. If not, a person must look it up once the key is forgotten.
     */
    default boolean canBeAsked() {
        return true;
    }

    /**
     * Whether {@link #findOut} may move money where it sends the attempt again. If so, it sends nothing once the payment is purged or is to
     * be canceled.
     */
    default boolean statusQueryMayExecute() {
        return true;
    }

    /**
     * Whether {@link #findOut} asks the PSP itself, so that its answer outranks a line of a report. A bank says nothing but in files, and a
     * status query about a debit looks into our own rows.
     */
    default boolean answersStatusQueries() {
        return canBeAsked();
    }

    /** How long after its first byte an attempt may still be invisible to {@link #findOut}. */
    default Duration visibilityLag() {
        return Duration.ofHours(1);
    }

    /**
     * Called when {@link #findOut} has found nothing twice, after the visibility lag and the key's life by our clock. Makes the charge
     * impossible at the PSP, even if another worker still holds this attempt. Only the PSP's own positive answer proves that. Where what
     * finds nothing may lag, the answer is still unknown, and the next status query decides. It may send the key, and is counted like any
     * send.
     */
    default Outcome fence(Charge charge) {
        return new Outcome.Unknown(UnknownCause.NOT_FOUND, psp() + " knows no such attempt and has no way to fence it",
                Optional.empty());
    }

    /** Its way to find a payment's attempts without our rows; empty for a PSP without one. */
    default Optional<Lookup> lookup() {
        return Optional.empty();
    }

    /** Its webhooks; empty for a PSP without webhooks, or if they are not set up. */
    default Optional<Webhook> webhook() {
        return Optional.empty();
    }

    /** Its way to give money back; empty for a PSP without one. */
    default Optional<RefundGateway> refunds() {
        return Optional.empty();
    }
}
