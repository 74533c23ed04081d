// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/**
 * One attempt to give money back, as a gateway needs it.
 *
 * @param money        what the PSP's answer must say, or it is not believed
 * @param capture      the PSP's own id for what it captured
 * @param request      what is sent, byte for byte, each time
 * @param pspReference the PSP's own id for the refund, once an answer has named one
 * @param mayBeSent    whether the PSP still remembers the key and has named nothing yet; if not, the attempt must only be asked about
 * @param lease        checked right before each request that may move money
 */
public record Refund(PspKey key, PaymentId payment, Money money, String capture, byte[] request,
        Optional<String> pspReference, boolean mayBeSent, Lease lease) {

    /** Held by nobody: it may be looked up, and nothing is sent before {@link #during} gives it a lease. */
    public Refund(PspKey key, PaymentId payment, Money money, String capture, byte[] request,
                  Optional<String> pspReference, boolean mayBeSent) {
        this(key, payment, money, capture, request, pspReference, mayBeSent, Lease.over());
    }

    /** The same attempt, with what an answer told us to ask for: what the PSP has named is not sent again. */
    public Refund withReference(Optional<String> reference) {
        return new Refund(key, payment, money, capture, request, reference.or(() -> pspReference), mayBeSent && reference.isEmpty(), lease);
    }

    /** The same attempt, while this lease holds. */
    public Refund during(Lease held) {
        return new Refund(key, payment, money, capture, request, pspReference, mayBeSent, held);
    }
}
