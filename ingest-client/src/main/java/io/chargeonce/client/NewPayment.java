// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A payment to send. The key names it: the same key is the same payment, however often it is sent.
 *
 * @param key           1 to 255 visible ASCII characters
 * @param amount        in minor units
 * @param currency      ISO 4217, in upper case
 * @param paymentMethod the id of a stored payment method, or a PSP's own token, never a card number; of a direct debit its mandate
 * @param byBankDebit   whether it goes by the rail {@code bank_debit}, and otherwise by card
 * @param guarded       whether it is refused as a second click if the same purchase was made a moment ago under another key
 * @param initiator     who started the charge; empty counts as the customer
 */
public record NewPayment(String key, long amount, String currency, String paymentMethod, Optional<String> customer,
        Optional<String> reference, Optional<String> description, Optional<String> receiptEmail, boolean byBankDebit,
        boolean guarded, Optional<Initiator> initiator) {

    /** Who started the charge of a stored card; the card networks require it. */
    public enum Initiator {
        CUSTOMER, SCHEDULED, UNSCHEDULED
    }

    static final String KEY = "[!-~]{1,255}";

    public NewPayment {
        if (!key.matches(KEY)) {
            throw new IllegalArgumentException("a key is 1 to 255 visible ASCII characters without spaces");
        }
    }

    /** With a key of your own, such as an order number and a purpose. */
    public static NewPayment of(String key, long amount, String currency, String paymentMethod) {
        return new NewPayment(key, amount, currency, paymentMethod, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                false, true, Optional.empty());
    }

    /**
     * With a key that is derived from what is paid for, so that a producer that restarts finds the same key: {@code order-1001-charge}. Two
     * payments for one reference need two purposes, such as {@code instalment-2}. What is no key in this form is hashed.
     */
    public static NewPayment derived(String reference, String purpose, long amount, String currency, String paymentMethod) {
        String words = reference + "-" + purpose;
        return of(words.matches(KEY) ? words : sha256(reference.length() + ":" + reference + purpose), amount, currency, paymentMethod)
                .withReference(reference);
    }

    public NewPayment withCustomer(String name) {
        return new NewPayment(key, amount, currency, paymentMethod, Optional.of(name), reference, description, receiptEmail, byBankDebit,
                guarded, initiator);
    }

    public NewPayment withReference(String name) {
        return new NewPayment(key, amount, currency, paymentMethod, customer, Optional.of(name), description, receiptEmail, byBankDebit,
                guarded, initiator);
    }

    public NewPayment withDescription(String text) {
        return new NewPayment(key, amount, currency, paymentMethod, customer, reference, Optional.of(text), receiptEmail, byBankDebit,
                guarded, initiator);
    }

    public NewPayment withReceiptEmail(String address) {
        return new NewPayment(key, amount, currency, paymentMethod, customer, reference, description, Optional.of(address), byBankDebit,
                guarded, initiator);
    }

    public NewPayment initiatedBy(Initiator one) {
        return new NewPayment(key, amount, currency, paymentMethod, customer, reference, description, receiptEmail, byBankDebit,
                guarded, Optional.of(one));
    }

    /** By direct debit, which goes to a bank in a file: the outcome comes days later. The payment method is a mandate. */
    public NewPayment throughBankDebit() {
        return new NewPayment(key, amount, currency, paymentMethod, customer, reference, description, receiptEmail, true, guarded,
                initiator);
    }

    /** A payment that may look like a repeat of another one but is not, such as an instalment. */
    public NewPayment withoutDuplicateGuard() {
        return new NewPayment(key, amount, currency, paymentMethod, customer, reference, description, receiptEmail, byBankDebit, false,
                initiator);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
