// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import io.chargeonce.client.NewPayment;
import io.chargeonce.client.Payment;
import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.ReadFailed;
import io.chargeonce.client.Sent;
import java.time.Duration;

/** A little shop. Each order is one payment, whose key is derived from the order's number: a customer who clicks twice pays once. */
public final class Shop {

    /** What the shop shows to the customer. */
    public enum Order {
        PAID, DECLINED, PENDING
    }

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final PaymentClient payments;

    public Shop(PaymentClient payments) {
        this.payments = payments;
    }

    /** Returns the payment's id; the order may be shipped when {@link #await} says that it is paid. */
    public String buy(String order, long cents, String card) throws InterruptedException {
        return switch (payments.send(NewPayment.derived(order, "charge", cents, "EUR", card))) {
            case Sent.Accepted accepted -> accepted.paymentId();
            case Sent.Refused refused -> throw new IllegalArgumentException(order + " was refused: " + refused.detail());
            case Sent.Unknown unknown -> throw new IllegalStateException(order + " must be sent again later: " + unknown.lastSeen());
        };
    }

    public Order await(String payment) throws InterruptedException, ReadFailed {
        Payment seen = payments.await(payment, LONGEST_WAIT).orElseThrow();
        return seen.isCharged() ? Order.PAID : seen.hasEnded() ? Order.DECLINED : Order.PENDING;
    }
}
