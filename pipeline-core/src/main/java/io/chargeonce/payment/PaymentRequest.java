// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * A producer's validated request. It is stored as accepted and never changes; every later decision reads it from the database, not from a
 * Kafka record.
 *
 * @param paymentMethod a stored payment method's id, a PSP's token or a mandate, never a card number
 * @param customer      the merchant's or the PSP's id of the payer
 * @param reference     the merchant's order number or similar
 * @param initiator     who started the charge; empty counts as the customer
 */
public record PaymentRequest(
        Money money,
        String paymentMethod,
        Optional<String> customer,
        Optional<String> reference,
        Optional<String> description,
        Optional<String> receiptEmail,
        Optional<Initiator> initiator) {

    public static final int LONGEST_TEXT = 500;
    /** Replaces an erased personal field in a row; the schema has the same text. */
    public static final String ERASED = "[erased]";

    /** Started by the customer. */
    public PaymentRequest(Money money, String paymentMethod, Optional<String> customer, Optional<String> reference,
                          Optional<String> description, Optional<String> receiptEmail) {
        this(money, paymentMethod, customer, reference, description, receiptEmail, Optional.empty());
    }

    public PaymentRequest {
        if (paymentMethod.isBlank() || paymentMethod.codePointCount(0, paymentMethod.length()) > LONGEST_TEXT) {
            throw new IllegalArgumentException("a payment method is a text of 1 to 500 characters");
        }
    }
}
