// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.Optional;

/**
 * A request that is answered with an error. One that was refused before execution began is not remembered under its key, so
 * the same key may be sent again; a later one is.
 */
final class Refusal extends RuntimeException {
    private final transient ApiError error;
    private final transient Optional<PaymentIntent> intent;
    private final boolean executed;

    private Refusal(ApiError error, Optional<PaymentIntent> intent, boolean executed) {
        super(error.message(), null, false, false);
        this.error = error;
        this.intent = intent;
        this.executed = executed;
    }

    static Refusal beforeExecution(ApiError error) {
        return new Refusal(error, Optional.empty(), false);
    }

    static Refusal inExecution(ApiError error) {
        return new Refusal(error, Optional.empty(), true);
    }

    static Refusal inExecution(ApiError error, PaymentIntent intent) {
        return new Refusal(error, Optional.of(intent), true);
    }

    ApiError error() {
        return error;
    }

    Answer answer() {
        return Answer.error(error, intent);
    }

    boolean executed() {
        return executed;
    }
}
