package io.chargeonce.sandbox.stripe;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Money that really moved: the truth that everybody else's books are checked against. */
public record Movement(Kind kind, String id, String paymentIntent, long amount, String currency,
        Map<String, String> metadata, Instant at, Optional<String> idempotencyKey) {
    public enum Kind { CAPTURE, REFUND }

    public Movement {
        metadata = Metadata.copy(metadata);
    }
}
