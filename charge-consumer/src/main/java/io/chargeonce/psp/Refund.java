// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/**
 * One attempt to give money back, as a gateway needs it.
 *
 * @param money        the PSP's answer must have this amount, or it is not trusted
 * @param capture      the PSP's own id of the capture
 * @param request      the bytes of each send
 * @param pspReference the PSP's own id of the refund, once an answer had one
 * @param mayBeSent    whether a status query may send it again: the PSP remembers the key and has returned no id yet, and no person has
 *                     purged the refund
 * @param lease        checked right before each request that may move money
 */
public record Refund(PspKey key, PaymentId payment, Money money, String capture, byte[] request,
        Optional<String> pspReference, boolean mayBeSent, Lease lease) implements PspRequest {

    /** Without a lease: it may be looked up, but nothing is sent before {@link #during} gives it one. */
    public Refund(PspKey key, PaymentId payment, Money money, String capture, byte[] request,
                  Optional<String> pspReference, boolean mayBeSent) {
        this(key, payment, money, capture, request, pspReference, mayBeSent, Lease.over());
    }

    /** A refund with a reference is not sent again. */
    @Override
    public Refund withReference(Optional<String> reference) {
        return new Refund(key, payment, money, capture, request, reference.or(() -> pspReference), mayBeSent && reference.isEmpty(), lease);
    }

    @Override
    public Refund during(Lease held) {
        return new Refund(key, payment, money, capture, request, pspReference, mayBeSent, held);
    }
}
