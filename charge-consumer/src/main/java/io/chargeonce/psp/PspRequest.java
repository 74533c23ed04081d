// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/** One attempt to move money, as a gateway needs it. */
public sealed interface PspRequest permits Charge, Refund {

    PspKey key();

    PaymentId payment();

    /** Whether a status query may send it again. */
    boolean mayBeSent();

    Lease lease();

    /** The same attempt, with the reference from an answer. */
    PspRequest withReference(Optional<String> reference);

    /** The same attempt, while this lease holds. Without one nothing is sent. */
    PspRequest during(Lease held);
}
