// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

/** Stripe's refusal of a step that the intent's status does not allow. It shows the intent, so that a client learns where it stands. */
final class UnexpectedState {
    private UnexpectedState() {}

    static Refusal refused(PaymentIntent intent, String message) {
        return Refusal.inExecution(ApiError.invalidRequest(400, message).code("payment_intent_unexpected_state"), intent);
    }
}
