// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PspUnits;

/**
 * What the PSPs' published documents say about the length of the fields that carry a merchant's text. A payment that one of them cannot
 * say, for its texts or its amount ({@link PspUnits}), is not sent to it. Pure.
 *
 * <p>Adyen (Checkout API 71 and 72): {@code shopperReference} 3 to 256, {@code storedPaymentMethodId} 64, {@code merchantOrderReference}
 * 1,000, {@code reference} 80 and a value of {@code metadata} 80; the last two carry our key and id, which are shorter. Stripe: 500 for a
 * value of {@code metadata}, 1,000 for {@code description}, 5,000 for {@code payment_method}; no text of ours is longer than 500.
 */
public final class PspFields {

    private static final String ADYEN = "adyen";
    private static final int SHORTEST_SHOPPER = 3;
    private static final int LONGEST_SHOPPER = 256;
    private static final int LONGEST_STORED_METHOD = 64;

    private PspFields() {}

    /**
     * Whether it has a token for the payment's method, a unit for the amount and room for the texts.
     *
     * @param psp as stored with an attempt, such as {@code adyen} or {@code adyen-us}
     */
    public static boolean canSay(String psp, Money money, PspTokens tokens) {
        return PspUnits.canSay(psp, money) && tokens.at(psp).filter(token -> hasRoom(psp, token)).isPresent();
    }

    /** Whether each PSP that takes cards can say it, so that it does not matter which of them gets it. */
    public static boolean allCanSay(Money money, PspTokens tokens) {
        return PspUnits.allCanSay(money) && canSay(ADYEN, money, tokens);
    }

    public static boolean hasRoom(String psp, PspToken token) {
        int shopper = length(token.customer().orElse(""));
        return !isAdyen(psp)
                || shopper >= SHORTEST_SHOPPER && shopper <= LONGEST_SHOPPER && length(token.method()) <= LONGEST_STORED_METHOD;
    }

    static boolean isAdyen(String psp) {
        return psp.split("-", 2)[0].equals(ADYEN);
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
