// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import io.chargeonce.testkit.ChargeoncePipeline;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ShopTest {

    /** Kafka, Postgres, two PSPs and all services, in this JVM, for all tests of this class. */
    @RegisterExtension
    static final ChargeoncePipeline chargeonce = new ChargeoncePipeline();

    private final Shop shop = new Shop(chargeonce.client());

    /** Whatever a test does: no payment is lost, and none is charged twice. */
    @AfterEach
    void the_books_balance() {
        chargeonce.assertBooksBalance();
    }

    @Test
    void an_order_is_charged_once_although_the_answer_of_the_psp_is_lost() throws Exception {
        chargeonce.stripe().inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CONFIRM).forMetadata("reference", "order-1"));
        String payment = shop.buy("order-1", 1299, "pm_card_visa");
        assertEquals(Shop.Order.PAID, shop.await(payment));
        assertEquals(List.of(1299L), chargeonce.capturesOf(payment).stream().map(capture -> capture.amount()).toList());
    }

    @Test
    void a_customer_who_clicks_twice_pays_once() throws Exception {
        String payment = shop.buy("order-2", 500, "pm_card_visa");
        assertEquals(payment, shop.buy("order-2", 500, "pm_card_visa"));
        assertEquals(Shop.Order.PAID, shop.await(payment));
        assertEquals(1, chargeonce.capturesOf(payment).size());
    }

    @Test
    void an_order_with_a_declined_card_is_not_paid() throws Exception {
        String payment = shop.buy("order-3", 500, "pm_card_visa_chargeDeclined");
        assertEquals(Shop.Order.DECLINED, shop.await(payment));
        assertEquals(0, chargeonce.capturesOf(payment).size());
    }
}
