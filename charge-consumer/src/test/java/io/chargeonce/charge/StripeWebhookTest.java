// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import com.stripe.net.Webhook;
import io.chargeonce.charge.webhook.WebhookInbox;
import io.chargeonce.payment.OperationState;
import io.chargeonce.psp.stripe.StripeGateway;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stripe's events, signed as Stripe signs them, and looked up at the simulator. */
class StripeWebhookTest {

    private static final String SECRET = "whsec_test";
    private static StripeSimulator stripe;
    private static StripeGateway gateway;
    private static EngineFixture books;
    private static EngineFixture.Process process;
    private static int orders;

    @BeforeAll
    static void open() {
        stripe = StripeSimulator.start(io.chargeonce.sandbox.stripe.StripeSimulatorSettings.inMemory());
        books = new EngineFixture();
        gateway = new StripeGateway(
                new StripeSettings("sk_test_1", stripe.apiBase().toString(), Duration.ofSeconds(5), Optional.of(SECRET)));
        process = books.process(gateway);
    }

    @AfterAll
    static void close() throws Exception {
        stripe.close();
        books.close();
    }

    /** A payment that was charged without our knowledge: its process died, and the resolver sleeps. */
    private static String unknown() {
        String id = books.accept("order-" + ++orders);
        try (var dying = books.process(new DyingGateway(gateway, DyingGateway.CrashPoint.AFTER_THE_CALL))) {
            assertThatThrownBy(() -> dying.handle(books.takeWork().getFirst())).isInstanceOf(FakePsp.Died.class);
        }
        books.execute(
                "UPDATE operation_state SET resolve_at = now() + interval '1 day', lease_token = NULL, state = 'unresolved' WHERE "
                        + "operation_id = '"
                        + id + "'");
        return id;
    }

    private static String event(String type, String payment) {
        return """
                {"id": "evt_%s_%s", "type": "%s", "data": {"object": {"id": "%s", "status": "succeeded",
                "metadata": {"attempt_key": "%s"}}}}"""
                .formatted(payment, type, type, intentOf(payment), books.operation(payment).attemptKey());
    }

    private static String intentOf(String payment) {
        return stripe.movements().stream().filter(movement -> payment.equals(movement.metadata().get("payment_id")))
                .findFirst().map(io.chargeonce.sandbox.psp.Movement::payment).orElse("pi_none");
    }

    private static WebhookInbox.Taken deliver(String event, Instant signedAt, String secret) throws Exception {
        String signature = Webhook.Signature.generateSignatureHeader(event, secret, signedAt.getEpochSecond());
        return process.inbox.take("stripe", name -> Optional.of(signature).filter(header -> name.equals("Stripe-Signature")),
                event.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void an_event_has_the_outcome_looked_up_and_the_payment_settled_at_once() throws Exception {
        String id = unknown();
        assertThat(deliver(event("payment_intent.succeeded", id), Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(process.resolver.runOnce()).isEqualTo(1);
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void webhooks_are_counted_from_zero_so_that_the_first_refusals_are_an_increase() throws Exception {
        EngineFixture.Process young = books.process(gateway);
        assertThat(young.meters.find("chargeonce.psp.webhooks").tag("psp", "stripe").counters()).hasSize(WebhookInbox.Taken.values().length)
                .allSatisfy(counter -> assertThat(counter.count()).isZero());
    }

    @Test
    void the_content_of_an_event_is_not_trusted() throws Exception {
        String id = books.accept("order-" + ++orders, "pm_card_visa_chargeDeclined");
        process.drain();
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
        String lie = event("payment_intent.succeeded", id).replace("pi_none", books.operation(id).pspReference().orElseThrow());
        assertThat(deliver(lie, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(books.state(id)).isEqualTo(OperationState.DECLINED);
    }

    @Test
    void a_repeat_is_dropped() throws Exception {
        String event = event("payment_intent.succeeded", unknown());
        deliver(event, Instant.now(), SECRET);
        long observations = books.count("FROM psp_observation");
        int asked = stripe.requests().size();
        assertThat(deliver(event, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(books.count("FROM psp_observation")).isEqualTo(observations);
        assertThat(stripe.requests()).hasSize(asked);
    }

    @Test
    void a_forged_and_an_unsigned_event_are_refused() throws Exception {
        String event = event("payment_intent.succeeded", unknown());
        assertThat(deliver(event, Instant.now(), "whsec_other")).isEqualTo(WebhookInbox.Taken.REFUSED);
        assertThat(process.inbox.take("stripe", name -> Optional.empty(), event.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(WebhookInbox.Taken.REFUSED);
    }

    /** Stripe's clock and ours may be hours apart. A message that is sent again later is known by its id. */
    @ParameterizedTest
    @ValueSource(longs = {-40_000, 0, 40_000})
    void whatever_time_a_signed_event_names_it_is_taken_once(long secondsOff) throws Exception {
        String event = event("payment_intent.succeeded", unknown());
        long observations = books.count("FROM psp_observation");
        assertThat(deliver(event, Instant.now().plusSeconds(secondsOff), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(deliver(event, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(books.count("FROM psp_observation")).isEqualTo(observations + 1);
    }

    @Test
    void while_stripe_cannot_be_asked_the_event_must_come_again() throws Exception {
        String event = event("payment_intent.succeeded", unknown());
        stripe.outage(Duration.ofHours(1));
        assertThat(deliver(event, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.LATER);
        stripe.endOutage();
        assertThat(deliver(event, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
    }

    private static String captured() {
        String id = books.accept("order-" + ++orders);
        process.drain();
        return id;
    }

    private static String intent(String payment) {
        return books.operation(payment).pspReference().orElseThrow();
    }

    private static String about(String id, String type, String intent, String object) {
        return """
                {"id": "%s", "type": "%s", "data": {"object": {"id": "%s", "payment_intent": "%s", "amount": 1299, "currency": "eur",
                "reason": "fraudulent", "status": "needs_response", "metadata": {}}}}""".formatted(id, type, object, intent);
    }

    private static long takenBack(String payment) {
        return books.count("FROM audit_record WHERE action = 'incident.money_taken_back' AND resource_id = '" + payment + "'");
    }

    @Test
    void a_refund_by_hand_is_an_incident_of_the_payment_and_changes_nothing() throws Exception {
        String id = captured();
        String event = about("evt_r1", "refund.created", intent(id), "re_1");
        assertThat(deliver(event, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(deliver(event, Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(takenBack(id)).isOne();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM audit_record WHERE data ->> 'why' LIKE 'refund.created: re_1: fraudulent%' AND resource_id = '"
                + id + "'")).isOne();
    }

    @Test
    void an_event_about_a_foreign_payment_is_accepted_and_ignored() throws Exception {
        assertThat(deliver("{\"id\": \"evt_1\", \"type\": \"payment_intent.succeeded\", \"data\": {\"object\": {\"id\": \"pi_x\"}}}",
                Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
        assertThat(deliver("{\"id\": \"evt_2\", \"type\": \"payment_intent.created\", \"data\": {\"object\": {\"id\": \"pi_x\"}}}",
                Instant.now(), SECRET)).isEqualTo(WebhookInbox.Taken.YES);
    }
}
