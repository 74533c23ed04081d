// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Progress;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.PspCall;
import io.chargeonce.wire.PoisonCause;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** The result of trying to claim an operation for an attempt. */
sealed interface Claim {

    /** A repeated claim has the rest of its lease. No attempt is sent for the first time after its payment's deadline. */
    static Lease bounded(Lease held, Operation operation, Instant now) {
        return held.noLongerThan(Duration.between(now, operation.leaseEnds()))
                .noLongerThan(Duration.between(now, operation.chargeBefore()));
    }

    /**
     * The attempt is stored, and ours until its lease expires.
     *
     * @param token  proves to the database that it is still ours
     * @param waited how long ago it began to wait in its tier; zero if it did not wait
     * @param found  the PSP's reference of an attempt that the rows had lost: it was sent long ago, and is only asked about
     */
    record Claimed(Operation.Accepted accepted, UUID token, PspCall call, Progress progress, Duration waited, Optional<String> found)
            implements
                Claim {

        Claimed during(Lease held) {
            return new Claimed(accepted, token, call.during(held), progress, waited, found);
        }
    }

    /** The record is older than the database's row, or another worker holds the operation. Nothing to do. */
    record Superseded() implements Claim {}

    /** Nothing changed. The PSPs must be asked about the operation before its next attempt. */
    record AskFirst(Operation operation) implements Claim {}

    /** By the database's clock it is too early. */
    record NotDue(Duration remaining) implements Claim {}

    /**
     * No PSP is well or set up, a person has paused what it needs, or its payment is not captured yet. It waits in a tier, and nothing was
     * counted.
     */
    record Parked() implements Claim {}

    /** Its deadline has passed, or no PSP can ever execute it. Its end is in the database. */
    record Ended(boolean dead) implements Claim {}

    /** The record belongs to no payment that we accepted. */
    record Refused(PoisonCause cause, String detail) implements Claim {}
}
