// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.util.Map;
import java.util.TreeMap;

/**
 * A payment method to store: one card, with its token at each PSP that may charge it. The key names it, as a payment's does.
 *
 * @param customer your name for the customer
 * @param tokens   by account at a PSP, each as its fields
 */
public record NewPaymentMethod(String key, String customer, Map<String, Map<String, String>> tokens) {

    public NewPaymentMethod {
        if (!key.matches(NewPayment.KEY)) {
            throw new IllegalArgumentException("a key is 1 to 255 visible ASCII characters without spaces");
        }
        tokens = Map.copyOf(tokens);
    }

    /** Without tokens yet. */
    public static NewPaymentMethod of(String key, String customer) {
        return new NewPaymentMethod(key, customer, Map.of());
    }

    /** @param account {@code stripe}, or another one there, such as {@code stripe-uk} */
    public NewPaymentMethod withStripe(String account, String itsCustomer, String paymentMethod) {
        return with(account, Map.of("customer", itsCustomer, "payment_method", paymentMethod));
    }

    /** @param account {@code adyen}, or another one there, such as {@code adyen-us} */
    public NewPaymentMethod withAdyen(String account, String shopperReference, String storedPaymentMethodId) {
        return with(account, Map.of("shopper_reference", shopperReference, "stored_payment_method_id", storedPaymentMethodId));
    }

    /**
     * A token of any PSP.
     *
     * @param account the account at the PSP
     * @param token   by the names of its two fields there
     */
    public NewPaymentMethod with(String account, Map<String, String> token) {
        var more = new TreeMap<>(tokens);
        more.put(account, token);
        return new NewPaymentMethod(key, customer, more);
    }

    /** Without the tokens. */
    @Override
    public String toString() {
        return "the payment method " + key + " with tokens of " + new TreeMap<>(tokens).keySet();
    }
}
