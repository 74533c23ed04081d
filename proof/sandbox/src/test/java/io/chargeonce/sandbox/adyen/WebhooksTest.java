// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.adyen.model.checkout.PaymentResponse;
import com.adyen.model.notification.NotificationRequest;
import com.adyen.model.notification.NotificationRequestItem;
import com.adyen.notification.WebhookHandler;
import com.adyen.util.HMACValidator;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Webhooks as a merchant gets them, read and verified with Adyen's own library. */
class WebhooksTest {
    private static final String HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

    private final List<NotificationRequestItem> received = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final HttpListener receiver = HttpListener.start("The receiver", 0, this::receive);
    private final AdyenSimulator simulator = AdyenSimulator.start(AdyenSimulatorSettings.inMemory()
            .modificationLag(Duration.ofMillis(1)).webhook(URI.create("http://127.0.0.1:" + receiver.port() + "/adyen"), HMAC_KEY));
    private final Shopper shopper = new Shopper(simulator);

    @AfterEach
    void close() {
        simulator.close();
        receiver.close();
    }

    private HttpAnswer receive(HttpRequest request) {
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return new HttpAnswer.Full(500, Map.of(), new byte[0]);
        }
        try {
            NotificationRequest notified = new WebhookHandler().handleNotificationJson(new String(request.body(), StandardCharsets.UTF_8));
            received.addAll(notified.getNotificationItems());
            return new HttpAnswer.Full(202, Map.of(), new byte[0]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void payments_and_refunds_are_told_in_order_and_signed() throws Exception {
        PaymentResponse paid = shopper.pay(1299, "p");
        shopper.refund(paid, 300, "r1");
        shopper.pay(100, Shopper.card("DECLINED"));
        await().until(() -> received.size() == 3);

        assertThat(received).extracting(NotificationRequestItem::getEventCode)
                .containsExactlyInAnyOrder("AUTHORISATION", "AUTHORISATION", "REFUND");
        for (NotificationRequestItem item : received) {
            assertThat(new HMACValidator().validateHMAC(item, HMAC_KEY)).isTrue();
        }
        NotificationRequestItem refund = received.stream().filter(item -> item.getEventCode().equals("REFUND")).findFirst().orElseThrow();
        assertThat(refund.isSuccess()).isTrue();
        assertThat(refund.getOriginalReference()).isEqualTo(paid.getPspReference());
        assertThat(refund.getAmount().getValue()).isEqualTo(300);
        assertThat(received.getFirst().getPspReference()).isEqualTo(paid.getPspReference());
    }

    @Test
    void a_notification_that_is_not_taken_comes_again() throws Exception {
        refusals.set(3);
        shopper.pay(1299, "p");
        await().until(() -> received.size() == 1);
        assertThat(refusals).hasValue(0);
    }
}
