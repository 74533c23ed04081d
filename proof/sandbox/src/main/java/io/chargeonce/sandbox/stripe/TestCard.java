// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

/** A payment method of test mode. */
record TestCard(String name, String brand, String lastFour, String funding, Outcome outcome) {
    /** What the card does when it is charged. */
    sealed interface Outcome {
        record Approves(String riskLevel) implements Outcome {}

        /** The issuer refuses, or, when {@code blocked}, Stripe itself does before it asks the issuer. */
        record Declines(String code, String message, ApiError.Decline decline, boolean blocked) implements Outcome {}

        /** The customer must authenticate; {@code offSession} is what happens where no customer is there to do so. */
        record Authenticates(Outcome offSession) implements Outcome {}
    }
}
