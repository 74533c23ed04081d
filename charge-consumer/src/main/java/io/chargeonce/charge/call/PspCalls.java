// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspCall;
import io.chargeonce.psp.Refund;
import java.time.Instant;
import java.util.function.Function;

/** Assembles what a gateway needs to know about a stored attempt. */
public final class PspCalls {

    private PspCalls() {}

    /** What a gateway says. An error of its plugin breaks this payment only, and no other that shares its transaction. */
    public static <T> T said(Gateway gateway, Function<Gateway, T> question) {
        try {
            return question.apply(gateway);
        } catch (LinkageError e) {
            throw new IllegalStateException("Bug! The gateway to %s lacks a class; its plugin may be built for another version"
                    .formatted(gateway.psp()), e);
        }
    }

    /**
     * The attempt of an operation that was just claimed at this PSP, with the request bytes to store.
     *
     * @param sent when the life of its key begins
     */
    public static Attempt attempt(Operation operation, Gateway gateway, Instant now, Instant sent) {
        return said(gateway, psp -> Attempt.inFlight(operation, render(operation, psp), now, sent.plus(psp.keyLife())));
    }

    private static byte[] render(Operation operation, Gateway gateway) {
        return switch (operation.kind()) {
            case CHARGE -> gateway.render(operation, operation.attemptKey());
            case REFUND, REVERSAL -> gateway.refunds().orElseThrow().render(operation, capture(operation), operation.attemptKey());
            case RETURN -> throw hasNoAttempt(operation);
        };
    }

    /**
     * For status queries only, until {@link PspCall#during} gives it a lease.
     *
     * @param mayBeSent whether the PSP still remembers the key, so that a status query may send it again
     */
    public static PspCall of(Operation operation, Attempt attempt, Gateway gateway, boolean mayBeSent) {
        return said(gateway, psp -> call(operation, attempt, psp, mayBeSent));
    }

    private static PspCall call(Operation operation, Attempt attempt, Gateway gateway, boolean mayBeSent) {
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
