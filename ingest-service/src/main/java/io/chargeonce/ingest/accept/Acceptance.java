// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.payment.Money;
import io.chargeonce.ingest.reading.PaymentStatus;
import io.chargeonce.payment.PaymentId;
import java.time.Instant;

/** The answer to a request to accept a payment, once it is durable. */
sealed interface Acceptance {

    /** The payment is new. */
    record Accepted() implements Acceptance {}

    /** The same request had been accepted before; nothing was written. */
    record Replayed(PaymentStatus now, Instant firstAt) implements Acceptance {}

    /** The key names another payment; nothing was written. */
    record Reused(RequestFingerprint.Conflict conflict) implements Acceptance {}

    /** The same purchase was made under another key a moment ago; nothing was written. */
    record DuplicateSuspected(PaymentId first) implements Acceptance {}

    /** Another request with this key is being accepted and took too long to wait for; nothing was written. */
    record InUse() implements Acceptance {}

    /** No bank is set up, so no account can be debited; nothing was written. */
    record RailNotSetUp() implements Acceptance {}

    /** The merchant has no such mandate, or it is revoked; nothing was written. */
    record NoMandate() implements Acceptance {}

    /** No PSP that this process knows takes the currency or has a unit for the amount; nothing was written. */
    record NotTaken(Money money) implements Acceptance {}

    /** No PSP that may get it takes the currency or has a unit for the amount; nothing was written. */
    record NotRepresentable(String currency) implements Acceptance {}

    /** The merchant has no such stored payment method of this customer, or it was detached; nothing was written. */
    record NoPaymentMethod() implements Acceptance {}

    /** No PSP that may get it has a token of its stored payment method; nothing was written. */
    record NoToken() implements Acceptance {}

    /** No PSP that may get it has room for its customer and payment method; nothing was written. */
    record TextsNotTaken() implements Acceptance {}
}
