// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/** One stored attempt and its PSP, for a charge or for giving money back. */
public record PspCall(Gateway gateway, PspRequest request) {

    public PspCall {
        if (request instanceof Refund && gateway.refunds().isEmpty()) {
            throw new IllegalStateException("Bug! %s has no way to give money back".formatted(gateway.psp()));
        }
    }

    public PspKey key() {
        return request.key();
    }

    public PaymentId payment() {
        return request.payment();
    }

    /** Whether {@link #ask} may send the attempt again. */
    public boolean mayBeSent() {
        return request.mayBeSent();
    }

    public Lease lease() {
        return request.lease();
    }

    public Outcome send() {
        return switch (request) {
            case Charge charge -> gateway.charge(charge);
            case Refund refund -> refunds().refund(refund);
        };
    }

    public Outcome ask() {
        return switch (request) {
            case Charge charge -> gateway.findOut(charge);
            case Refund refund -> refunds().findOut(refund);
        };
    }

    /** Whether {@link #ask} may move money if it {@link #mayBeSent}. If so, nothing is sent for a purged or a canceled payment. */
    public boolean statusQueryMayExecute() {
        return request instanceof Refund || gateway.statusQueryMayExecute();
    }

    /** Whether {@link #fence} may move money. If so, it is not called once the payment is purged or to be canceled. */
    public boolean fenceMayExecute() {
        return request instanceof Refund && refunds().fenceMayExecute();
    }

    /** The PSP does not know the attempt. Makes sure that it can no longer be executed there, or says that it cannot. */
    public Outcome fence() {
        return switch (request) {
            case Charge charge -> gateway.fence(charge);
            case Refund refund -> refunds().fence(refund);
        };
    }

    private RefundGateway refunds() {
        return gateway.refunds().orElseThrow();
    }

    /** The same attempt, with the reference from an answer. */
    public PspCall withReference(Optional<String> reference) {
        return new PspCall(gateway, request.withReference(reference));
    }

    /** The same attempt, while this lease holds. Without one nothing is sent. */
    public PspCall during(Lease held) {
        return new PspCall(gateway, request.during(held));
    }
}
