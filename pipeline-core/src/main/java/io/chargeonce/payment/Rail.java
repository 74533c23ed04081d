// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

/**
 * How a payment's money moves. A payment's method says it: a mandate is for debits of a bank account, and all other tokens are a card's.
 * Each rail has its own PSPs, so no payment ever changes its rail. The tag is a request's {@code rail}.
 */
public enum Rail {
    CARD("card"),
    BANK_DEBIT("bank_debit");

    /** What every mandate's id begins with. */
    public static final String MANDATE = "mandate_";

    private final String tag;

    Rail(String tag) {
        this.tag = tag;
    }

    public static Rail of(String paymentMethod) {
        return paymentMethod.startsWith(MANDATE) ? BANK_DEBIT : CARD;
    }

    public String tag() {
        return tag;
    }

    /** Whether a PSP of this name is one of this rail's: banks are called {@code bank} or {@code bank-} and a name. */
    public boolean isServedBy(String psp) {
        return psp.split("-", 2)[0].equals("bank") == (this == BANK_DEBIT);
    }
}
