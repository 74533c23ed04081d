// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

/** What a test card does when it is charged. */
sealed interface CardOutcome {
    record Approves(String riskLevel) implements CardOutcome {}

    /** The issuer refuses, or, when {@code blocked}, Stripe itself does before it asks the issuer. */
    record Declines(String code, String message, ApiError.Decline decline, boolean blocked) implements CardOutcome {}

    /** The customer must authenticate; {@code offSession} is what happens where nobody is there to do so. */
    record Authenticates(CardOutcome offSession) implements CardOutcome {}
}
