// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspCall;
import io.chargeonce.psp.Refund;

/** Assembles what a gateway needs to know about a stored attempt. */
public final class PspCalls {

    private PspCalls() {}

    /** The request bytes to store for an attempt of an operation that was just claimed at this PSP. */
    public static byte[] render(Operation operation, Gateway gateway) {
        try {
            return switch (operation.kind()) {
                case CHARGE -> gateway.render(operation, operation.attemptKey());
                case REFUND, REVERSAL -> gateway.refunds().orElseThrow().render(operation, capture(operation), operation.attemptKey());
                case RETURN -> throw hasNoAttempt(operation);
            };
        } catch (LinkageError e) {
            // It breaks this payment only, and no other that shares its transaction.
            throw new IllegalStateException("Bug! The gateway to %s lacks a class; its plugin may be built for another version"
                    .formatted(gateway.psp()), e);
        }
    }

    /**
     * For status queries only, until {@link PspCall#during} gives it a lease.
     *
     * @param mayBeSent whether the PSP still remembers the key, so that a status query may send it again
     */
    public static PspCall of(Operation operation, Attempt attempt, Gateway gateway, boolean mayBeSent) {
        var money = operation.accepted().request().money();
        return switch (operation.kind()) {
            // An attempt that the database had lost has the life of its key from its PSP's own time.
            case CHARGE -> {
                var charge = new Charge(attempt.key(), attempt.payment(), money, attempt.request(), attempt.pspReference(), mayBeSent)
                        .firstSent(attempt.keyValidUntil().minus(gateway.keyLife()));
                yield new PspCall(gateway, operation.cancelRequestedAt().isPresent() ? charge.recall() : charge);
            }
            case REFUND, REVERSAL -> new PspCall(gateway, new Refund(attempt.key(),
                    attempt.payment(), money, capture(operation).reference(), attempt.request(), attempt.pspReference(),
                    mayBeSent && attempt.pspReference().isEmpty()));
            case RETURN -> throw hasNoAttempt(operation);
        };
    }

    private static IllegalStateException hasNoAttempt(Operation operation) {
        return new IllegalStateException("Bug! A bank has returned the money, which is no attempt of ours: " + operation.id());
    }

    private static Capture capture(Operation operation) {
        return operation.capture().orElseThrow(() -> new IllegalStateException("Bug! Nothing to give back for " + operation.id()));
    }
}
