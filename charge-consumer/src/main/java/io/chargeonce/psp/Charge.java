// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Optional;

/**
 * One attempt, as a gateway needs it.
 *
 * @param money        the PSP's answer must have this amount, or it is not trusted
 * @param request      the bytes of each send; rendered by the same gateway before the attempt was stored
 * @param pspReference the PSP's own id for it, once an answer had one
 * @param mayBeSent    whether a status query may send it again: the PSP remembers the key, and no person has purged the payment
 * @param lease        checked right before each request that may move money, or that relies on the key being remembered
 * @param firstSent    by Postgres's clock: what the PSP made long before is of a forgotten payment that had the same key
 */
public record Charge(PspKey key, PaymentId payment, Money money, byte[] request, Optional<String> pspReference,
        boolean mayBeSent, Lease lease, Instant firstSent) implements PspRequest {

    /** Without a lease: it may be looked up, but nothing is sent before {@link #during} gives it one. */
    public Charge(PspKey key, PaymentId payment, Money money, byte[] request, Optional<String> pspReference, boolean mayBeSent) {
        this(key, payment, money, request, pspReference, mayBeSent, Lease.over(), Instant.EPOCH);
    }

    @Override
    public Charge withReference(Optional<String> reference) {
        return new Charge(key, payment, money, request, reference.or(() -> pspReference), mayBeSent, lease, firstSent);
    }

    @Override
    public Charge during(Lease held) {
        return new Charge(key, payment, money, request, pspReference, mayBeSent, held, firstSent);
    }

    /** The same attempt, which the PSP cannot have known before. */
    public Charge firstSent(Instant at) {
        return new Charge(key, payment, money, request, pspReference, mayBeSent, lease, at);
    }
}
