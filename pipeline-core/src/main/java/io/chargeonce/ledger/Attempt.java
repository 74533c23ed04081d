// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.time.Instant;
import java.util.Optional;

/**
 * One attempt to move an operation's money at one PSP, as stored before its first byte was sent.
 *
 * @param ref           which refund or reversal of its payment it is; empty for the charge
 * @param request       the request's bytes, the same for every send
 * @param sentAt        by the database's clock
 * @param sends         how often the key was or may have been sent; counted before the first byte of each send
 * @param notFound      how many times in a row the PSP has said that it knows no such attempt
 * @param keyValidUntil until when the PSP remembers the key; after that the attempt is only asked about
 */
public record Attempt(
        PspKey key,
        String operationId,
        PaymentId payment,
        OperationKind kind,
        String ref,
        int generation,
        int sequence,
        String psp,
        AttemptState state,
        byte[] request,
        int sends,
        int notFound,
        Instant sentAt,
        Instant keyValidUntil,
        Optional<String> pspReference,
        Optional<String> cause,
        Optional<String> message) {

    /** The attempt that this operation was just claimed for. */
    public static Attempt inFlight(Operation claimed, byte[] request, Instant now, Instant keyValidUntil) {
        return new Attempt(claimed.attemptKey(), claimed.id(), claimed.accepted().payment(), claimed.accepted().kind(),
                claimed.accepted().ref(), claimed.generation(), claimed.sequence(), claimed.psp().orElseThrow(), AttemptState.IN_FLIGHT,
                request, 1, 0, now, keyValidUntil,
                Optional.empty(), Optional.empty(), Optional.empty());
    }
}
