// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.standardwebhooks.Webhook;
import com.stripe.StripeClient;
import com.stripe.param.PaymentIntentCreateParams;
import io.chargeonce.client.NewPayment;
import io.chargeonce.client.Sent;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.stripe.StripeOperation;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ChargeoncePipelineTest {

    @RegisterExtension
    static final ChargeoncePipeline chargeonce = new ChargeoncePipeline();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static String send(String order, String card) throws InterruptedException {
        Sent sent = chargeonce.client().send(NewPayment.derived(order, "charge", 1299, "EUR", card));
        return ((Sent.Accepted) sent).paymentId();
    }

    private static String awaited(String payment) throws Exception {
        return chargeonce.client().await(payment, PATIENCE).orElseThrow().status();
    }

    @Test
    void a_payment_whose_answer_is_lost_is_charged_once_and_the_books_balance() throws Exception {
        chargeonce.stripe().inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CONFIRM).forMetadata("reference", "lost"));
        String payment = send("lost", "pm_card_amex");
        assertThat(awaited(payment)).isEqualTo("succeeded");
        assertThat(chargeonce.capturesOf(payment)).singleElement().satisfies(capture -> assertThat(capture.amount()).isEqualTo(1299));
        assertThat(chargeonce.stripe().requests()).anySatisfy(request -> assertThat(request.fault()).contains("answer_lost"));
        chargeonce.assertBooksBalance();
    }

    @Test
    void a_payment_that_is_under_way_is_waited_for() throws Exception {
        chargeonce.stripe().inject(FaultRule.once(new Fault.FailBefore()).on(StripeOperation.CONFIRM).forMetadata("reference", "retried"));
        String payment = send("retried", "pm_card_amex");
        chargeonce.assertBooksBalance();
        assertThat(chargeonce.capturesOf(payment)).hasSize(1);
    }

    @Test
    void adyen_takes_over_when_stripe_is_down() throws Exception {
        chargeonce.stripe().outage(PATIENCE);
        String payment = send("taken-over", "pm_card_visa");
        assertThat(awaited(payment)).isEqualTo("succeeded");
        assertThat(chargeonce.adyen().movements()).anySatisfy(
                movement -> assertThat(movement.metadata()).containsEntry("payment_id", payment));
        chargeonce.endFaults();
        chargeonce.assertBooksBalance();
    }

    @Test
    void a_webhook_says_the_outcome_and_is_signed_with_the_secret() throws Exception {
        Queue<HttpRequest> received = new ConcurrentLinkedQueue<>();
        try (var receiver = HttpListener.start("The receiver", 0, request -> {
            received.add(request);
            return new HttpAnswer.Full(204, Map.of(), new byte[0]);
        })) {
            String secret = chargeonce.sendWebhooksTo(URI.create("http://127.0.0.1:" + receiver.port() + "/hooks"));
            String payment = send("told", "pm_card_visa");
            await().atMost(PATIENCE).until(() -> received.stream().anyMatch(request -> body(request).contains(payment)));
            HttpRequest told = received.stream().filter(request -> body(request).contains(payment)).findFirst().orElseThrow();
            assertThat(body(told)).contains("payment.succeeded");
            new Webhook(secret).verify(body(told), Stream.of("webhook-id", "webhook-timestamp", "webhook-signature")
                    .collect(Collectors.toMap(name -> name, name -> List.of(told.header(name).orElseThrow()))));
        }
        chargeonce.assertBooksBalance();
    }

    private static String body(HttpRequest request) {
        return new String(request.body(), StandardCharsets.UTF_8);
    }

    @Test
    void a_consumer_of_the_team_reads_the_outcome() throws Exception {
        String payment = send("published", "pm_card_visa");
        var settings = new Properties();
        settings.put("bootstrap.servers", chargeonce.bootstrapServers());
        settings.put("group.id", "a-team");
        settings.put("auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(chargeonce.outcomesTopic()));
            await().atMost(PATIENCE).until(() -> {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    if (record.key().equals(payment)) {
                        return record.value().contains("succeeded");
                    }
                }
                return false;
            });
        }
    }

    @Test
    void a_charge_that_was_not_asked_for_is_named() throws Exception {
        try (var other = new ChargeoncePipeline()) {
            other.start();
            var unasked =
                    StripeClient.builder().setApiKey(PspSimulators.STRIPE_KEY).setApiBase(other.stripe().apiBase().toString()).build();
            unasked.v1().paymentIntents().create(PaymentIntentCreateParams.builder().setAmount(700L).setCurrency("eur")
                    .setPaymentMethod("pm_card_visa").addPaymentMethodType("card").setConfirm(true)
                    .putMetadata("payment_id", "pay_nobodys").build());
            assertThatThrownBy(other::assertBooksBalance).isInstanceOf(AssertionError.class)
                    .hasMessageStartingWith("The books do not balance.\n  psp-agrees: pay_nobodys was captured, but never accepted")
                    .hasMessageContaining("charged unasked 1").hasMessageContaining("ledger of http://");
        }
    }

    @Test
    void a_payment_that_a_fault_keeps_under_way_is_said_to_be_open() throws Exception {
        chargeonce.stripe().inject(FaultRule.once(new Fault.AnswerLost()).on(StripeOperation.CONFIRM).forMetadata("reference", "kept"));
        for (var query : List.of(StripeOperation.RETRIEVE, StripeOperation.SEARCH, StripeOperation.CONFIRM)) {
            chargeonce.stripe().inject(FaultRule.once(new Fault.Refused(401)).on(query).always());
        }
        String payment = send("kept", "pm_card_amex");
        assertThatThrownBy(() -> chargeonce.assertBooksBalance(Duration.ofMillis(1))).isInstanceOf(AssertionError.class)
                .hasMessageContaining("there are still 1 payments").hasMessageContaining("call endFaults() before this check");
        chargeonce.endFaults();
        assertThat(awaited(payment)).isEqualTo("succeeded");
        chargeonce.assertBooksBalance();
    }

    @Nested
    class ANestedClass {

        @Test
        void uses_the_pipeline_of_the_class_around_it() throws Exception {
            assertThat(awaited(send("nested", "pm_card_visa"))).isEqualTo("succeeded");
        }
    }

    @Test
    void a_pipeline_that_is_not_registered_says_how_it_is() {
        assertThatThrownBy(new ChargeoncePipeline()::client).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ChargeoncePipeline does not run. Register it").hasMessageContaining("call start() first");
    }
}
