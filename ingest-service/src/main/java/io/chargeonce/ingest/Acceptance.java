package io.chargeonce.ingest;

import java.time.Instant;
import java.util.List;

/** How an ask was answered, once that is durable. */
sealed interface Acceptance {

    /** The payment is new. */
    record Accepted(StoredResponse response) implements Acceptance {}

    /** The same request had been accepted before; nothing was written. */
    record Replayed(StoredResponse response, PaymentStatus now, Instant firstAt) implements Acceptance {}

    /** The key names another payment; nothing was written. */
    record Reused(List<String> differingFields) implements Acceptance {}

    /** Another request with this key is being accepted and took too long to wait for; nothing was written. */
    record InUse() implements Acceptance {}
}
