// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.payment.Progress;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.PspCall;
import io.chargeonce.wire.PoisonCause;
import java.time.Duration;
import java.util.UUID;

/** What came of trying to take an operation for an attempt. */
sealed interface Claim {

    /**
     * The attempt is stored and ours until its lease ends.
     *
     * @param token  proves to the database that it is still ours
     * @param waited how long ago it began to wait in its tier; nothing if it did not
     */
    record Claimed(String operationId, UUID token, PspCall call, Progress progress, Duration waited) implements Claim {

        Claimed during(Lease held) {
            return new Claimed(operationId, token, call.during(held), progress, waited);
        }
    }

    /** The record is older than what the database knows, or somebody holds the operation: nothing to do. */
    record Superseded() implements Claim {}

    /** By the database's clock it is too early. */
    record NotDue(Duration remaining) implements Claim {}

    /** No PSP is well or set up, or its payment is not captured yet: it waits in a tier, and nothing was counted. */
    record Parked() implements Claim {}

    /** Its deadline has passed, or nobody can ever do it: it has its end in the database. */
    record Ended(boolean dead) implements Claim {}

    /** The record speaks of no payment that we accepted. */
    record Refused(PoisonCause cause, String detail) implements Claim {}
}
