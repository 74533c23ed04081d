// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * A producer's validated request. It is stored as accepted and never changes; every later decision reads it from the database, not from a
 * Kafka record.
 *
 * @param paymentMethod the PSP's token for the card, never a card number
 * @param customer      the merchant's or the PSP's id of the payer
 * @param reference     the merchant's order number or similar
 */
public record PaymentRequest(
        Money money,
        String paymentMethod,
        Optional<String> customer,
        Optional<String> reference,
        Optional<String> description,
        Optional<String> receiptEmail) {

    public static final int LONGEST_TEXT = 500;
    /** Replaces an erased personal field in a row; the schema has the same text. */
    public static final String ERASED = "[erased]";

    public PaymentRequest {
        if (paymentMethod.isBlank() || paymentMethod.codePointCount(0, paymentMethod.length()) > LONGEST_TEXT) {
            throw new IllegalArgumentException("a payment method is a PSP's token of 1 to 500 characters");
        }
    }
}
