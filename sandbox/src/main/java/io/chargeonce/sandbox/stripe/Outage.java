package io.chargeonce.sandbox.stripe;

import java.time.Duration;
import java.time.Instant;

/** A time in which every request is answered 503 and none is executed. Any thread. */
final class Outage {
    private volatile Instant end = Instant.MIN;

    void last(Instant now, Duration time) {
        end = now.plus(time);
    }

    void end() {
        end = Instant.MIN;
    }

    void check(Instant now) {
        if (now.isBefore(end)) {
            throw Refusal.beforeExecution(ApiError.of(503, "api_error", "Stripe is temporarily unavailable."));
        }
    }
}
