// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.payment.Rail;
import java.util.regex.Pattern;

/**
 * What is true of a PSP before anything is sent to it. A payment that it cannot say, for its amount or its texts, is not sent there. Pure.
 *
 * @param name          2 to 20 lower-case letters and digits, a letter first. An account there has this name, or this name, a dash and
 *                      another. It is stored with every attempt and never changes: keys are derived from it
 * @param units         how it counts money
 * @param customer      the field of a stored method's token that names the customer at this PSP
 * @param method        the field that names the method
 * @param needsCustomer whether each payment names a customer: where the merchant gives none, the method's own text stands in
 */
public record PspRules(String name, PspUnits units, Field customer, Field method, boolean needsCustomer) {

    /** The longest text that a merchant may give. */
    private static final int LONGEST_TEXT = 500;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]{1,19}");

    /** {@code payment_method} has room for 5,000 characters there, and a customer's id for what Stripe made of it. */
    public static final PspRules STRIPE = new PspRules("stripe", PspUnits.STRIPE);
    /** By the description of Checkout API 71 and 72. */
    public static final PspRules ADYEN = new PspRules("adyen", PspUnits.ADYEN, new Field("shopper_reference", 3, 256),
            new Field("stored_payment_method_id", 1, 64), true);
    /** Its payments name a mandate, which is no token. */
    public static final PspRules BANK = new PspRules("bank", PspUnits.BANK);

    /**
     * A text of a token.
     *
     * @param name     in a request to store a payment method
     * @param shortest in characters, at least 1
     * @param longest  in characters, at most 500
     */
    public record Field(String name, int shortest, int longest) {

        public Field {
            if (!name.matches("[a-z][a-z0-9_]{0,39}") || shortest < 1 || longest < shortest || longest > LONGEST_TEXT) {
                throw new IllegalArgumentException(
                        "a token's field has a name of lower-case letters, digits and _, and 1 to %d characters, "
                                .formatted(LONGEST_TEXT) + "not '%s', %d to %d".formatted(name, shortest, longest));
            }
        }

        /** {@code shopper_reference of 3 to 256 characters}. */
        @Override
        public String toString() {
            return "%s of %d to %d characters".formatted(name, shortest, longest);
        }

        boolean hasRoomFor(String text) {
            int length = text.codePointCount(0, text.length());
            return length >= shortest && length <= longest;
        }
    }

    public PspRules {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a PSP's name is 2 to 20 lower-case letters and digits, a letter first, not '%s'"
                    .formatted(name));
        }
        if (customer.name.equals(method.name)) {
            throw new IllegalArgumentException("both fields of a token of %s are called %s".formatted(name, method.name));
        }
    }

    /** A token of {@code customer} and {@code payment_method}, of any length that a merchant may give. */
    public PspRules(String name, PspUnits units) {
        this(name, units, new Field("customer", 1, LONGEST_TEXT), new Field("payment_method", 1, LONGEST_TEXT), false);
    }

    public Rail rail() {
        return Rail.BANK_DEBIT.isServedBy(name) ? Rail.BANK_DEBIT : Rail.CARD;
    }

    /** Whether it has room for both texts. */
    public boolean hasRoomFor(PspToken token) {
        return method.hasRoomFor(token.method())
                && token.customer().map(customer::hasRoomFor).orElseGet(() -> !needsCustomer || customer.hasRoomFor(token.method()));
    }

    public boolean canSay(Money money, PspToken token) {
        return units.canSay(money) && hasRoomFor(token);
    }
}
