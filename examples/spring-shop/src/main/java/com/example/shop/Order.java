// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import io.chargeonce.client.NewPayment;

/**
 * What a customer has ordered.
 *
 * @param amount        in minor units: 1299 EUR is 12.99 €
 * @param paymentMethod a stored payment method, or a PSP's token
 */
record Order(String id, long amount, String currency, String paymentMethod) {

    static Order parse(String text) {
        String[] parts = text.split(":");
        return new Order(parts[0], Long.parseLong(parts[1]), parts[2], parts[3]);
    }

    /** Its key comes from the order, here order-1-charge. So every sending of this order is the same payment. */
    NewPayment payment() {
        return NewPayment.derived(id, "charge", amount, currency, paymentMethod);
    }
}
