// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.psp.PspRefusal;
import java.util.Optional;

/**
 * A request that is answered with an error. The answer is remembered under the request's key only if execution had begun;
 * otherwise the same key may be sent again.
 */
final class Refusal extends PspRefusal {
    private static final long serialVersionUID = 1;

    private final transient Answer answer;
    private final boolean executed;

    private Refusal(String message, Answer answer, boolean executed) {
        super(message);
        this.answer = answer;
        this.executed = executed;
    }

    static Refusal beforeExecution(ApiError error) {
        return new Refusal(error.message(), Answer.error(error), false);
    }

    static Refusal inExecution(ApiError error) {
        return new Refusal(error.message(), Answer.error(error), true);
    }

    /** A step that the intent's status does not allow. The answer shows the intent, so that a client learns its status. */
    static Refusal unexpectedState(PaymentIntent intent, String message) {
        ApiError error = ApiError.invalidRequest(400, message).code("payment_intent_unexpected_state");
        return new Refusal(message, new Answer.Failure(error, Optional.of(intent)), true);
    }

    /** This answer, not always an error, instead of an execution. */
    static Refusal instead(Answer answer) {
        return new Refusal("answered without being executed", answer, false);
    }

    @Override
    public Answer answer() {
        return answer;
    }

    boolean executed() {
        return executed;
    }
}
