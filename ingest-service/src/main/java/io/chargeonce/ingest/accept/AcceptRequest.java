// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.wire.TraceContext;
import java.time.Instant;
import java.util.Optional;

/**
 * One request to accept a payment, complete: everything that its rows will hold.
 *
 * @param guarded     the purchase that must not be a second click; empty if it may be
 * @param origin      the address that it came from, for the audit record
 * @param receivedAt  by this process's clock; a repeat's age
 * @param traceparent of the span in which it came, if any
 * @param form        what its sender calls its parts
 */
public record AcceptRequest(String merchant, IdempotencyKey key, PaymentId id, PaymentRequest request, RequestFingerprint command,
        AcceptedAnswer answer, Optional<byte[]> guarded, String origin, Instant receivedAt, Optional<String> traceparent,
        RequestForm form) {

    /** One that may not be a second click for a purchase. */
    public static AcceptRequest of(String merchant, IdempotencyKey key, PaymentRequest request, String origin, Instant receivedAt) {
        var id = PaymentId.derive(merchant, key);
        return new AcceptRequest(merchant, key, id, request, RequestFingerprint.of(request), AcceptedAnswer.of(id, request),
                Purchase.of(request), origin, receivedAt, TraceContext.current(), RequestForm.PAYMENT);
    }

    /** The same, though it may be the same purchase as another: equal instalments are a real purchase. */
    public AcceptRequest withoutGuard() {
        return new AcceptRequest(merchant, key, id, request, command, answer, Optional.empty(), origin, receivedAt, traceparent,
                form);
    }

    /** The same that came in another way than as a request of its own. */
    public AcceptRequest as(RequestForm other) {
        return new AcceptRequest(merchant, key, id, request, command, answer, guarded, origin, receivedAt, traceparent, other);
    }
}
