// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import io.chargeonce.client.PaymentClient;
import io.chargeonce.client.Sent;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Sends what is in the outbox. Several shops may send the same request: it has one key, so it is one payment. */
@Component
class PaymentSender {

    private static final Logger LOG = LoggerFactory.getLogger(PaymentSender.class);

    private final Orders orders;
    private final PaymentClient chargeonce;

    PaymentSender(Orders orders, PaymentClient chargeonce) {
        this.orders = orders;
        this.chargeonce = chargeonce;
    }

    /** Otherwise it is about a token that was revoked, or an address that leads elsewhere, and says nothing of any payment. */
    private static boolean isAboutThePayment(Sent.Refused refused) {
        return refused.type().startsWith("urn:chargeonce:problem:") && !List.of(401, 403, 404).contains(refused.httpStatus());
    }

    @Scheduled(fixedDelay = 500)
    void sendAll() throws InterruptedException {
        for (List<Order> some = orders.toBeSent(""); !some.isEmpty(); some = orders.toBeSent(some.getLast().id())) {
            if (!send(some)) {
                return;
            }
        }
    }

    /** Returns whether the next ones may go: what is wrong with one order holds up no other. */
    private boolean send(List<Order> some) throws InterruptedException {
        for (Order order : some) {
            try {
                if (!send(order)) {
                    return false;
                }
            } catch (RuntimeException e) {
                LOG.error("The payment of {} stays in the outbox", order.id(), e);
            }
        }
        return true;
    }

    private boolean send(Order order) throws InterruptedException {
        // No transaction is open here. After a crash before or behind this line, the same request is sent again, under the same key.
        switch (chargeonce.send(order.payment())) {
            case Sent.Accepted accepted -> orders.answered(order, "payment_accepted", accepted.paymentId());
            case Sent.Refused refused when !isAboutThePayment(refused) -> {
                LOG.error("All payments stay in the outbox until this is mended: {} {}", refused.httpStatus(), refused.detail());
                return false;
            }
            case Sent.Refused refused -> {
                LOG.warn("The payment of {} was refused: {}", order.id(), refused.detail());
                orders.answered(order, "payment_refused", null);
            }
            case Sent.Unknown unknown -> LOG.warn("The payment of {} stays in the outbox: {}", order.id(), unknown.lastSeen());
        }
        return true;
    }
}
