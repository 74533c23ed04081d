// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.adyen.model.checkout.PaymentResponse;
import com.adyen.model.notification.NotificationRequestItem;
import com.adyen.notification.WebhookHandler;
import com.adyen.util.HMACValidator;
import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disputes as a merchant gets them, read and verified with Adyen's own library. */
class ChargebacksTest {
    private static final String HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

    private final List<NotificationRequestItem> received = new CopyOnWriteArrayList<>();
    private final HttpListener receiver = HttpListener.start("The receiver", 0, this::receive);
    private final AdyenSimulatorSettings settings = AdyenSimulatorSettings.inMemory().modificationLag(Duration.ofMillis(1))
            .webhook(URI.create("http://127.0.0.1:" + receiver.port() + "/adyen"), HMAC_KEY);
    private final AdyenSimulator simulator = AdyenSimulator.start(settings);
    private final Shopper shopper = new Shopper(simulator);

    @AfterEach
    void close() {
        simulator.close();
        receiver.close();
    }

    private HttpAnswer receive(HttpRequest request) {
        try {
            received.addAll(new WebhookHandler().handleNotificationJson(new String(request.body(), StandardCharsets.UTF_8))
                    .getNotificationItems());
            return new HttpAnswer.Full(202, Map.of(), new byte[0]);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> codes() {
        return received.stream().map(NotificationRequestItem::getEventCode).filter(code -> !code.equals("AUTHORISATION")).toList();
    }

    private void dispute(String payment, DisputeStep... course) {
        List.of(course).forEach(step -> simulator.dispute(payment, step));
    }

    @Test
    void each_step_is_told_signed_under_the_disputes_own_reference() throws Exception {
        PaymentResponse paid = shopper.pay(1299, "p");
        dispute(paid.getPspReference(), DisputeStep.OPENED, DisputeStep.TAKEN, DisputeStep.RETURNED, DisputeStep.LOST);
        await().until(() -> codes().size() == 4);
        assertThat(codes()).containsExactly("NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK");
        LedgerDispute lost = simulator.disputes().getFirst();
        assertThat(lost.stage() + " " + lost.funds() + " " + lost.value()).isEqualTo("lost taken 12.99");
        for (NotificationRequestItem item : received.subList(1, 5)) {
            assertThat(new HMACValidator().validateHMAC(item, HMAC_KEY)).isTrue();
            assertThat(item.getPspReference()).isEqualTo(lost.id());
            assertThat(item.getOriginalReference()).isEqualTo(paid.getPspReference());
            assertThat(item.getMerchantReference()).isEqualTo(paid.getMerchantReference());
            assertThat(item.getAdditionalData()).containsKeys("disputeStatus", "defensePeriodEndsAt");
        }
    }

    @Test
    void a_dispute_that_ends_before_its_money_moved_tells_of_both() throws Exception {
        dispute(shopper.pay(100, "p").getPspReference(), DisputeStep.LOST);
        dispute(shopper.pay(200, "q").getPspReference(), DisputeStep.TAKEN, DisputeStep.WON);
        await().until(() -> codes().size() == 5);
        assertThat(codes()).containsExactly("CHARGEBACK", "DISPUTE_DEFENSE_PERIOD_ENDED", "CHARGEBACK", "CHARGEBACK_REVERSED",
                "ISSUER_RESPONSE_TIMEFRAME_EXPIRED");
    }

    @Test
    void a_refund_of_what_a_bank_has_taken_is_received_and_fails() throws Exception {
        PaymentResponse paid = shopper.pay(1299, "p");
        dispute(paid.getPspReference(), DisputeStep.TAKEN);
        shopper.refund(paid, 300, "r1");
        await().until(() -> codes().contains("REFUND"));
        assertThat(received.getLast().isSuccess()).isFalse();
        assertThat(received.getLast().getReason()).isEqualTo("Insufficient balance on payment");
        dispute(paid.getPspReference(), DisputeStep.RETURNED);
        shopper.refund(paid, 300, "r2");
        await().until(() -> codes().getLast().equals("REFUND"));
        assertThat(received.getLast().isSuccess()).isTrue();
    }

    @Test
    void disputes_survive_a_restart(@TempDir Path directory) throws Exception {
        LedgerDispute disputed;
        try (AdyenSimulator before = AdyenSimulator.start(settings.keptIn(directory))) {
            disputed = before.dispute(new Shopper(before).pay(100, "p").getPspReference(), DisputeStep.TAKEN);
        }
        try (AdyenSimulator after = AdyenSimulator.start(settings.keptIn(directory))) {
            assertThat(after.disputes()).containsExactly(disputed);
        }
    }
}
