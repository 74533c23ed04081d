// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/**
 * One attempt, as a gateway needs it.
 *
 * @param money        what the PSP's answer must say, or it is not believed
 * @param request      what is sent, byte for byte, each time; rendered by the same gateway before the attempt was stored
 * @param pspReference the PSP's own id for it, once an answer has named one
 * @param keyIsKnown   whether a question may send it again: the PSP still remembers the key; if not, it must only be asked about
 * @param lease        checked right before each request that may move money, or that must find the key as it is now
 */
public record Charge(PspKey key, PaymentId payment, Money money, byte[] request, Optional<String> pspReference,
        boolean keyIsKnown, Lease lease) {

    /** Held by nobody: it may be looked up, and nothing is sent before {@link #during} gives it a lease. */
    public Charge(PspKey key, PaymentId payment, Money money, byte[] request, Optional<String> pspReference, boolean keyIsKnown) {
        this(key, payment, money, request, pspReference, keyIsKnown, Lease.over());
    }

    /** The same attempt, with what an answer told us to ask for. */
    public Charge withReference(Optional<String> reference) {
        return new Charge(key, payment, money, request, reference.or(() -> pspReference), keyIsKnown, lease);
    }

    /** The same attempt, while this lease holds. */
    public Charge during(Lease held) {
        return new Charge(key, payment, money, request, pspReference, keyIsKnown, held);
    }
}
