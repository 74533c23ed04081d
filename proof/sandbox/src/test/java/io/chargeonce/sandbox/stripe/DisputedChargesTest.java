// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.stripe.exception.StripeException;
import com.stripe.model.BalanceTransaction;
import com.stripe.model.Dispute;
import com.stripe.model.Event;
import com.stripe.net.Webhook;
import com.stripe.param.RefundCreateParams;
import io.chargeonce.sandbox.dispute.DisputeStep;
import io.chargeonce.sandbox.dispute.LedgerDispute;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disputes as a merchant gets them, read and verified with Stripe's own library. */
class DisputedChargesTest {
    private static final String SECRET = "whsec_test";

    private final List<Event> received = new CopyOnWriteArrayList<>();
    private final HttpListener receiver = HttpListener.start("The receiver", 0, this::receive);
    private final StripeSimulatorSettings settings =
            StripeSimulatorSettings.inMemory().webhook(URI.create("http://127.0.0.1:" + receiver.port() + "/stripe"), SECRET);
    private final StripeSimulator simulator = StripeSimulator.start(settings);
    private final Customer customer = new Customer(simulator);

    @AfterEach
    void close() {
        simulator.close();
        receiver.close();
    }

    private HttpAnswer receive(HttpRequest request) {
        try {
            received.add(Webhook.constructEvent(new String(request.body(), StandardCharsets.UTF_8),
                    request.header("stripe-signature").orElseThrow(), SECRET));
            return new HttpAnswer.Full(200, Map.of(), new byte[0]);
        } catch (StripeException forged) {
            throw new IllegalStateException(forged);
        }
    }

    private List<String> types() {
        return received.stream().map(event -> event.getType().replace("charge.dispute.", "")).toList();
    }

    private void dispute(String payment, DisputeStep... course) {
        List.of(course).forEach(step -> simulator.dispute(payment, step));
    }

    @Test
    void each_step_is_told_in_order_and_the_dispute_is_looked_up_as_it_stands_now() throws StripeException {
        String paid = customer.pay(1000, "p").getId();
        dispute(paid, DisputeStep.INQUIRY, DisputeStep.OPENED, DisputeStep.TAKEN, DisputeStep.RETURNED, DisputeStep.LOST);
        await().until(() -> received.size() == 6);
        assertThat(types()).containsExactly("created", "updated", "funds_withdrawn", "funds_reinstated", "funds_withdrawn", "closed");
        Dispute told = (Dispute) received.getFirst().getDataObjectDeserializer().getObject().orElseThrow();
        assertThat(told.getStatus()).isEqualTo("warning_needs_response");
        assertThat(told.getPaymentIntent()).isEqualTo(paid);

        Dispute found = customer.stripe.v1().disputes().retrieve(told.getId());
        assertThat(found.getStatus()).isEqualTo("lost");
        assertThat(found.getBalanceTransactions()).extracting(BalanceTransaction::getAmount).containsExactly(-1000L, 1000L, -1000L);
        assertThat(simulator.disputes()).containsExactly(new LedgerDispute(told.getId(), paid, Map.of("payment_id", "pay_1"), 1000, "eur",
                "10.00", "lost", "taken"));
    }

    @Test
    void a_charge_is_refunded_only_while_no_bank_has_its_money() throws StripeException {
        String paid = customer.pay(1000, "p").getId();
        var half = RefundCreateParams.builder().setPaymentIntent(paid).setAmount(500L).build();
        dispute(paid, DisputeStep.OPENED, DisputeStep.TAKEN);
        assertThatThrownBy(() -> customer.stripe.v1().refunds().create(half)).isInstanceOf(StripeException.class)
                .hasMessageContaining("charge_disputed");
        dispute(paid, DisputeStep.WON);
        assertThat(customer.stripe.v1().refunds().create(half).getStatus()).isEqualTo("succeeded");
    }

    @Test
    void events_that_are_held_come_at_last_twice_and_in_reverse() throws StripeException {
        String paid = customer.pay(1000, "p").getId();
        simulator.holdWebhooks(true);
        simulator.disorderWebhooks(true);
        dispute(paid, DisputeStep.TAKEN, DisputeStep.WON);
        assertThat(received).isEmpty();
        simulator.holdWebhooks(false);
        await().until(() -> received.size() == 8);
        assertThat(types()).containsExactly("closed", "closed", "funds_reinstated", "funds_reinstated", "funds_withdrawn",
                "funds_withdrawn", "created", "created");
    }

    @Test
    void disputes_and_events_that_nobody_took_survive_a_restart(@TempDir Path directory) throws StripeException {
        LedgerDispute disputed;
        try (StripeSimulator before = StripeSimulator.start(settings.keptIn(directory))) {
            before.holdWebhooks(true);
            disputed = before.dispute(new Customer(before).pay(1000, "p").getId(), DisputeStep.TAKEN);
        }
        try (StripeSimulator after = StripeSimulator.start(settings.keptIn(directory))) {
            assertThat(after.disputes()).containsExactly(disputed);
            await().until(() -> received.size() == 2);
        }
    }
}
