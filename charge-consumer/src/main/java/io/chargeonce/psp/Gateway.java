package io.chargeonce.psp;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import java.time.Duration;

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

    /** Sends the attempt, for the first time. */
    Outcome charge(Charge charge);

    /**
     * Asks what became of the attempt. Where the PSP says that nothing was executed yet, cancels it there: only the PSP's
     * positive answer to that makes the attempt definitely failed.
     */
    Outcome findOut(Charge charge);

    /**
     * Whether {@link #findOut} may itself execute an attempt that never arrived, because the PSP's only question is the same
     * request under the same key. Each question is then a send like the first: counted before its first byte, and not made
     * once the operation's deadline has passed.
     */
    default boolean askingMayExecute() {
        return false;
    }
}
