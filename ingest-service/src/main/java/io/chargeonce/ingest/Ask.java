package io.chargeonce.ingest;

import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import java.time.Instant;

/**
 * One request to accept a payment, complete: everything that its rows will hold.
 *
 * @param origin  the address that it came from, for the audit record
 * @param askedAt by this process's clock; only for people, in record headers
 */
record Ask(String merchant, IdempotencyKey key, PaymentId id, PaymentRequest request, Command command,
           StoredResponse response, String origin, Instant askedAt) {

    static Ask of(String merchant, IdempotencyKey key, PaymentRequest request, String origin, Instant askedAt) {
        var id = PaymentId.derive(merchant, key);
        return new Ask(merchant, key, id, request, Command.of(request), StoredResponse.accepted(id, request), origin, askedAt);
    }
}
