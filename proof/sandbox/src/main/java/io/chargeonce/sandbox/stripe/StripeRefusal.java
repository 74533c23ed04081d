// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.PspRefusal;
import java.util.Optional;

/**
 * A request that is answered with an error. The answer is remembered under the request's key only if execution had begun;
 * otherwise the same key may be sent again.
 */
final class StripeRefusal extends PspRefusal {
    private static final long serialVersionUID = 1;

    private final transient StripeAnswer answer;
    private final boolean executed;

    private StripeRefusal(String message, StripeAnswer answer, boolean executed) {
        super(message);
        this.answer = answer;
        this.executed = executed;
    }

    static StripeRefusal beforeExecution(ApiError error) {
        return new StripeRefusal(error.message(), StripeAnswer.error(error), false);
    }

    static StripeRefusal inExecution(ApiError error) {
        return new StripeRefusal(error.message(), StripeAnswer.error(error), true);
    }

    /** A step that the intent's status does not allow. The answer shows the intent, so that a client learns its status. */
    static StripeRefusal unexpectedState(PaymentIntent intent, String message) {
        ApiError error = ApiError.invalidRequest(400, message).code("payment_intent_unexpected_state");
        return new StripeRefusal(message, new StripeAnswer.Failure(error, Optional.of(intent)), true);
    }

    /** This answer, not always an error, instead of an execution. */
    static StripeRefusal instead(StripeAnswer answer) {
        return new StripeRefusal("answered without being executed", answer, false);
    }

    @Override
    public StripeAnswer answer() {
        return answer;
    }

    boolean executed() {
        return executed;
    }
}
