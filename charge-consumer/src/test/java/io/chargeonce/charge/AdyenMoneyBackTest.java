// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import com.adyen.util.HMACValidator;
import io.chargeonce.charge.webhook.WebhookServer;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.adyen.AdyenGateway;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.adyen.AdyenOperation;
import io.chargeonce.sandbox.psp.Fault;
import io.chargeonce.sandbox.psp.FaultRule;
import io.chargeonce.sandbox.psp.Movement;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What Adyen reports only by webhook: refunds, and payments whose answer was lost. The simulator signs and sends as Adyen does. */
class AdyenMoneyBackTest {

    private static final Duration CALL_TIMEOUT = Duration.ofMillis(500);
    private static final String HMAC_KEY = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
    private static AdyenSimulator adyen;
    private static EngineFixture books;
    private static EngineFixture.Process process;
    private static WebhookServer webhooks;
    private static int orders;

    @BeforeAll
    static void open() {
        books = new EngineFixture();
        int port = EngineFixture.freePort();
        adyen = AdyenSimulator.start(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.inMemory().storing("pm_card_visa", "APPROVED")
                .modificationLag(Duration.ofMillis(50)).webhook(URI.create("http://127.0.0.1:" + port + "/v1/webhooks/adyen"), HMAC_KEY));
        process = books.process(new AdyenGateway(new AdyenSettings(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY,
                io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT, adyen.apiBase().toString(), CALL_TIMEOUT,
                Optional.of(HMAC_KEY))));
        webhooks = WebhookServer.start(new Address("127.0.0.1", port), process.inbox,
                new io.micrometer.core.instrument.simple.SimpleMeterRegistry());
    }

    @AfterEach
    void heal() {
        adyen.removeRules();
    }

    @AfterAll
    static void close() throws Exception {
        webhooks.close();
        adyen.close();
        books.close();
    }

    private static String captured(String card) {
        String id = books.accept("order-" + ++orders, card);
        settle(id);
        return id;
    }

    static Stream<Fault> faults() {
        return Stream.of(new Fault.AnswerLost(), new Fault.Truncated(), new Fault.Reset(), new Fault.RateLimited(1),
                new Fault.FailAfter(), new Fault.TransientBefore(), new Fault.TransientAfter(),
                new Fault.SlowBefore(CALL_TIMEOUT.multipliedBy(2)), new Fault.SlowAfter(CALL_TIMEOUT.multipliedBy(2)),
                new Fault.WrongAmount(1));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void after_any_single_fault_the_money_is_refunded_once(Fault fault) {
        String id = captured("pm_card_visa");
        adyen.inject(FaultRule.once(fault).on(AdyenOperation.REFUND));
        books.refund(id, OptionalLong.of(500), "line-1");
        settle("payment-" + id + "-refund-line-1");
        assertThat(books.refunded(id)).isEqualTo(500);
        assertThat(refunds(id)).singleElement().satisfies(movement -> assertThat(movement.amount()).isEqualTo(500));
    }

    @Test
    void what_adyen_has_received_is_sent_once_and_unknown_until_its_webhook() {
        String id = captured("pm_card_visa");
        books.refund(id, OptionalLong.empty(), "");
        String refund = "payment-" + id + "-refund";
        process.drain();
        settle(refund);
        assertThat(books.state(refund)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count("FROM psp_answer JOIN payment_attempt USING (psp_key) WHERE operation_id = '%s' AND source = 'webhook'"
                .formatted(refund))).isEqualTo(1);
        assertThat(books.count("FROM payment_attempt WHERE operation_id = '%s' AND sends = 1".formatted(refund))).isEqualTo(1);
        assertThat(process.meters.counter("chargeonce.psp.webhooks", "psp", "adyen", "taken", "YES").count()).isPositive();
    }

    @Test
    void a_refund_that_adyen_fails_is_never_taken_for_one_that_succeeded() {
        String id = captured("stored_approved");
        adyen.inject(FaultRule.once(new Fault.AnswerLost()).on(AdyenOperation.REFUND));
        // Adyen executes it in full, so that ours finds nothing left.
        giveAllBackAtAdyen(id);
        books.refund(id, OptionalLong.empty(), "");
        settle("payment-" + id + "-refund");
        assertThat(books.state("payment-" + id + "-refund")).isEqualTo(OperationState.DEAD);
        assertThat(books.refunded(id)).isZero();
        assertThat(books.operation("payment-" + id + "-refund").failureMessage()).hasValueSatisfying(
                message -> assertThat(message).contains("Insufficient balance"));
    }

    @Test
    void a_500_that_adyen_has_frozen_over_a_capture_is_settled_by_the_webhook_alone() {
        adyen.inject(FaultRule.once(new Fault.FailAfter()).on(AdyenOperation.PAYMENT));
        String id = captured("pm_card_visa");
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.operation(id).sequence()).isEqualTo(1);
        assertThat(adyen.movements().stream().filter(movement -> id.equals(movement.metadata().get("payment_id")))).hasSize(1);
    }

    @Test
    void a_refund_that_fails_after_a_success_is_one_incident_however_often_it_is_reported() throws Exception {
        String id = captured("pm_card_visa");
        books.refund(id, OptionalLong.empty(), "");
        String refund = "payment-" + id + "-refund";
        settle(refund);
        String event = signed("REFUND_FAILED", books.operation(refund).attemptKey().value(), 1299);
        assertThat(post("adyen", event)).isEqualTo(202);
        assertThat(post("adyen", event)).isEqualTo(202);
        assertThat(books.state(refund)).isEqualTo(OperationState.FAILED);
        assertThat(books.count("FROM audit_record WHERE action = 'incident.refund_failed_late' AND resource_id = '" + refund + "'"))
                .isEqualTo(1);
        assertThat(process.meters.counter("chargeonce.incidents", "what", "refund_failed_late").count()).isEqualTo(1);
        assertThat(books.count("FROM outbox WHERE record_key = '" + refund + "' AND headers::text LIKE '%refund.failed%'")).isEqualTo(1);
        assertThat(books.refunded(id)).isZero();

        assertThat(books.refund(id, OptionalLong.empty(), "again")).isInstanceOf(Refunds.Answer.Accepted.class);
    }

    @Test
    void a_refund_that_fails_before_its_known_success_is_settled_ends_as_failed_and_tells_both() throws Exception {
        String id = captured("pm_card_visa");
        adyen.inject(FaultRule.once(new Fault.FailBefore()).on(AdyenOperation.REFUND));
        books.refund(id, OptionalLong.empty(), "");
        String refund = "payment-" + id + "-refund";
        process.drain();
        assertThat(books.state(refund)).isEqualTo(OperationState.UNRESOLVED);
        String key = books.operation(refund).attemptKey().value();
        assertThat(post("adyen", signed("REFUND", key, 1299))).isEqualTo(202);
        assertThat(books.state(refund)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(post("adyen", signed("REFUND_FAILED", key, 1299))).isEqualTo(202);
        assertThat(books.state(refund)).isEqualTo(OperationState.FAILED);
        process.resolver.runOnce();
        assertThat(books.state(refund)).isEqualTo(OperationState.FAILED);
        for (String event : List.of("refund.succeeded", "refund.failed")) {
            assertThat(books.count("FROM outbox WHERE record_key = '" + refund + "' AND headers::text LIKE '%" + event + "%'")).isOne();
        }
        assertThat(books.refunded(id)).isZero();
    }

    @Test
    void a_signed_message_about_another_amount_is_quarantined() throws Exception {
        adyen.inject(FaultRule.once(new Fault.FailBefore()).on(AdyenOperation.PAYMENT));
        String id = books.accept("order-" + ++orders);
        process.drain();
        String key = books.operation(id).attemptKey().value();
        double before = quarantined();
        assertThat(post("adyen", signed("AUTHORISATION", key, 1))).isEqualTo(202);
        assertThat(quarantined()).isEqualTo(before + 1);
        assertThat(books.state(id)).isEqualTo(OperationState.UNRESOLVED);
        assertThat(post("adyen", signed("AUTHORISATION", key, 1299).replace("\"success\":\"true\"", "\"success\":\"false\"")))
                .isEqualTo(401);
    }

    private static double quarantined() {
        return process.meters.counter("chargeonce.psp.answers.quarantined", "psp", "adyen", "cause", "answer_mismatch").count();
    }

    private static String signed(String eventCode, String key, long amount) throws Exception {
        return signed(eventCode, key, amount, 0);
    }

    private static String signed(String eventCode, String key, long amount, int minute) throws Exception {
        return signed(eventCode, key, amount, minute, "PSP" + ++orders);
    }

    private static String signed(String eventCode, String key, long amount, int minute, String reference) throws Exception {
        return signed(eventCode, key, amount, minute, reference, "");
    }

    private static String signed(String eventCode, String key, long amount, int minute, String reference, String original)
            throws Exception {
        String signature = new HMACValidator()
                .calculateHMAC(String.join(":", reference, original, io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT,
                        key, "" + amount, "EUR", eventCode, "true"), HMAC_KEY);
        return """
                {"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"%s"},
                "amount":{"currency":"EUR","value":%d},
                 "eventCode":"%s","eventDate":"2026-01-01T00:%02d:00+01:00","merchantAccountCode":"%s","merchantReference":"%s",
                 "originalReference":"%s","paymentMethod":"visa",
                 "pspReference":"%s","reason":"","success":"true"}}]}""".formatted(signature, amount, eventCode, minute,
                io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT, key, original, reference);
    }

    @Test
    void a_capture_that_fails_after_the_success_is_an_incident_and_charges_nothing() {
        String id = captured("pm_card_visa");
        adyen.failCapture(books.operation(id).pspReference().orElseThrow(), "Capture Failed: expired authorisation");
        Waiting.until(() -> books.count("FROM capture_failure WHERE operation_id = '" + id + "'") == 1);

        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(books.count(
                "FROM audit_record WHERE resource_id = '%s' AND action = 'incident.capture_failed' AND data ->> 'why' LIKE '%%expired%%'"
                        .formatted(id)))
                .isOne();
        Waiting.until(() -> process.meters.counter("chargeonce.incidents", "what", "capture_failed").count() > 0);
        process.drain();
        assertThat(adyen.movements().stream().filter(movement -> id.equals(movement.metadata().get("payment_id")))).hasSize(1);

        adyen.recapture(books.operation(id).pspReference().orElseThrow());
        Waiting.until(() -> books.count("FROM capture_failure WHERE recaptured_at IS NOT NULL AND operation_id = '" + id + "'") == 1);
        assertThat(books.count("FROM audit_record WHERE resource_id = '%s' AND action = 'captured-again'".formatted(id))).isOne();
    }

    /** Adyen's messages arrive in any order; their own dates show which one is the newest. */
    @ParameterizedTest
    @CsvSource({"CAPTURE_FAILED 1 CAPTURE 2,true", "CAPTURE 2 CAPTURE_FAILED 1,true", "CAPTURE 1 CAPTURE_FAILED 2,false",
        "CAPTURE_FAILED 2 CAPTURE 1,false", "CAPTURE_FAILED 1 CAPTURE 3 CAPTURE_FAILED 2,true"})
    void news_of_a_capture_are_taken_in_adyens_order_however_they_come(String messages, boolean isWell) throws Exception {
        String id = captured("pm_card_visa");
        String[] words = messages.split(" ");
        for (int i = 0; i < words.length; i += 2) {
            assertThat(post("adyen", signed(words[i], books.operation(id).attemptKey().value(), 1299, Integer.parseInt(words[i + 1]))))
                    .isEqualTo(202);
        }
        var failure = books.database.withConnection(connection -> io.chargeonce.ledger.CaptureFailures.find(connection, "acme", id))
                .orElseThrow();
        assertThat(failure.recapturedAt().isPresent()).isEqualTo(isWell);
        assertThat(books.count("FROM audit_record WHERE resource_id = '%s' AND action = 'incident.capture_failed'".formatted(id)))
                .isPositive();
    }

    @ParameterizedTest
    @CsvSource({"CHARGEBACK_OF_TOMORROW,700", "CANCELLATION,1299", "TECHNICAL_CANCEL,1299", "REFUND,400"})
    void money_that_goes_back_without_our_request_is_an_incident_once_and_decides_nothing(String eventCode, long amount) throws Exception {
        String id = captured("pm_card_visa");
        double before = quarantined();
        String event = signed(eventCode, books.operation(id).attemptKey().value(), amount);
        assertThat(post("adyen", event)).isEqualTo(202);
        assertThat(post("adyen", event)).isEqualTo(202);
        assertThat(books.count("FROM audit_record WHERE action = 'incident.money_taken_back' AND resource_id = '" + id + "'")).isOne();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
        assertThat(quarantined()).isEqualTo(before);
    }

    @Test
    void a_dispute_of_an_attempt_that_is_not_there_is_kept() throws Exception {
        String lost = PspKey.derive(new PaymentId("pay_aaaaaaaaaaaaaaaaaaaaaaaaaa"), "charge", "", "adyen", 1).value();
        assertThat(post("adyen", signed("CHARGEBACK", lost, 1299))).isEqualTo(202);
        assertThat(books.count("FROM unmatched_notice WHERE psp_key = '" + lost + "' AND outcome = 'disputed' AND cause = 'CHARGEBACK'"))
                .isOne();
    }

    @Test
    void a_dispute_that_names_a_payment_only_by_adyens_reference_is_that_payments() throws Exception {
        String id = captured("pm_card_visa");
        String capture = books.operation(id).pspReference().orElseThrow();
        Waiting.until(() -> books.count("FROM psp_observation WHERE source = 'webhook' AND psp_reference = '" + capture + "'") > 0);
        assertThat(post("adyen", signed("CHARGEBACK", "", 700, 0, "DISPUTE" + id.substring(4), capture))).isEqualTo(202);
        assertThat(books.count("FROM dispute WHERE payment_id = '" + id + "' AND funds = 'taken'")).isOne();
    }

    @Test
    void a_dispute_of_another_capture_under_the_payments_key_is_of_an_older_payment_and_is_kept() throws Exception {
        String id = captured("pm_card_visa");
        String key = books.operation(id).attemptKey().value();
        assertThat(post("adyen", signed("CHARGEBACK", key, 1299, 0, "DISPUTE" + id.substring(4), "CAPTUREOFLONGBEFORE"))).isEqualTo(202);
        assertThat(books.count("FROM dispute WHERE payment_id = '" + id + "'")).isZero();
        assertThat(books.count("FROM unmatched_notice WHERE psp_key = '" + key + "'")).isOne();
        assertThat(process.inbox.matchAgain()).as("its worker pauses").isZero();

        books.execute("INSERT INTO psp_observation (psp_key, source, outcome, psp_reference) "
                + "VALUES ('" + key + "', 'hand', 'charged', 'X')");
        assertThat(process.inbox.matchAgain()).as("a person named the attempt, perhaps otherwise than Adyen").isOne();
        assertThat(books.count("FROM dispute WHERE payment_id = '" + id + "'")).isOne();
    }

    @Test
    void the_words_of_a_dispute_of_an_erased_payment_are_not_recorded() throws Exception {
        String id = captured("pm_card_visa");
        books.rewrite("UPDATE payment_attempt SET request = '' WHERE payment_id = '" + id + "'");
        String key = books.operation(id).attemptKey().value();
        String dispute = "DISPUTE" + id.substring(4);
        for (String code : java.util.List.of("CHARGEBACK", "CAPTURE_FAILED")) {
            assertThat(post("adyen", signed(code, key, 1299, 0, dispute).replace("\"reason\":\"\"", "\"reason\":\"Jane rang\"")))
                    .isEqualTo(202);
        }
        assertThat(books.text("SELECT reason FROM dispute WHERE payment_id = '" + id + "'")).isEqualTo("[erased]");
        assertThat(books.text("SELECT reason FROM capture_failure WHERE operation_id = '" + id + "'")).isEqualTo("[erased]");
        assertThat(books.count("FROM outbox WHERE record_key = '" + id + "' AND convert_from(value, 'UTF8') LIKE '%Jane%'")).isZero();
    }

    @Test
    void a_message_that_names_no_payment_is_kept_until_its_dispute_is_known() throws Exception {
        String id = captured("pm_card_visa");
        String dispute = "DISPUTE" + id.substring(4);
        assertThat(post("adyen", signed("SECOND_CHARGEBACK", "", 700, 2, dispute))).isEqualTo(202);
        assertThat(books.count("FROM unmatched_notice WHERE notice_id LIKE '%" + dispute + "%'")).isOne();
        assertThat(post("adyen", signed("CHARGEBACK", books.operation(id).attemptKey().value(), 700, 1, dispute))).isEqualTo(202);
        process.inbox.matchAgain();
        assertThat(books.count("FROM dispute WHERE payment_id = '" + id + "' AND stage = 'lost'")).isOne();
        assertThat(books.count("FROM unmatched_notice WHERE notice_id LIKE '%" + dispute + "%'")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"NOTIFICATION_OF_CHARGEBACK CHARGEBACK SECOND_CHARGEBACK,lost,taken",
        "SECOND_CHARGEBACK CHARGEBACK NOTIFICATION_OF_CHARGEBACK SECOND_CHARGEBACK,lost,taken",
        "CHARGEBACK_REVERSED CHARGEBACK,opened,returned", "PREARBITRATION_WON CHARGEBACK,won,returned",
        "REQUEST_FOR_INFORMATION,inquiry,not_taken"})
    void a_dispute_is_one_row_however_its_messages_come(String events, String stage, String funds) throws Exception {
        String id = captured("pm_card_visa");
        for (String event : events.split(" ")) {
            assertThat(post("adyen", signed(event, books.operation(id).attemptKey().value(), 700, 0, "DISPUTE" + id.substring(4))))
                    .isEqualTo(202);
        }
        assertThat(books.count("FROM dispute WHERE payment_id = '%s' AND stage = '%s' AND funds = '%s' AND amount = 700"
                .formatted(id, stage, funds))).isOne();
        assertThat(books.count("FROM dispute WHERE payment_id = '" + id + "'")).isOne();
        assertThat(books.state(id)).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void what_is_only_captured_shows_no_failure() throws Exception {
        String id = captured("pm_card_visa");
        assertThat(post("adyen", signed("CAPTURE", books.operation(id).attemptKey().value(), 1299))).isEqualTo(202);
        boolean isShown =
                books.database.withConnection(connection -> io.chargeonce.ledger.CaptureFailures.find(connection, "acme", id)).isPresent();
        assertThat(isShown).isFalse();
    }

    @Test
    void a_failed_capture_of_another_amount_is_not_believed() throws Exception {
        String id = captured("pm_card_visa");
        double before = quarantined();
        assertThat(post("adyen", signed("CAPTURE_FAILED", books.operation(id).attemptKey().value(), 1))).isEqualTo(202);
        assertThat(quarantined()).isEqualTo(before + 1);
        assertThat(books.count("FROM capture_failure WHERE operation_id = '" + id + "'")).isZero();
    }

    @Test
    void nothing_unsigned_is_believed() throws Exception {
        String id = captured("pm_card_visa");
        String forged = """
                {"live":"false","notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"%s"},
                 "amount":{"currency":"EUR","value":1299},"eventCode":"REFUND","eventDate":"2026-01-01T00:00:00+01:00",
                 "merchantAccountCode":"ChargeonceECOM","merchantReference":"%s","originalReference":"X","paymentMethod":"visa",
                 "pspReference":"Y","reason":"","success":"false"}}]}""";
        String key = books.operation(id).attemptKey().value();
        for (String body : List.of(forged.formatted("bm9uc2Vuc2U=", key), forged.formatted("", key),
                forged.replace("\"additionalData\":{\"hmacSignature\":\"%s\"},", "").formatted(key),
                "{}", "no JSON", "[]")) {
            assertThat(post("adyen", body)).isEqualTo(401);
        }
        assertThat(post("unknown", "{}")).isEqualTo(401);
        assertThat(post("adyen", "x".repeat(300_000))).isEqualTo(413);
    }

    private static void giveAllBackAtAdyen(String id) {
        adyen.removeRules();
        String capture = books.operation(id).pspReference().orElseThrow();
        send(HttpRequest.newBuilder(URI.create(adyen.apiBase() + "/payments/" + capture + "/refunds"))
                .header("X-API-Key", io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.API_KEY).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("""
                        {"merchantAccount": "%s", "amount": {"currency": "EUR", "value": 1299}, "reference": "by-hand"}"""
                        .formatted(io.chargeonce.sandbox.adyen.AdyenSimulatorSettings.MERCHANT_ACCOUNT)))
                .build());
        Waiting.until(() -> !refunds(id).isEmpty());
    }

    private static int post(String psp, String body) {
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + webhooks.port() + "/v1/webhooks/" + psp))
                .POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    private static int send(HttpRequest request) {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Movement> refunds(String id) {
        return adyen.movements().stream().filter(movement -> movement.kind() == Movement.Kind.REFUND
                && id.equals(movement.metadata().get("payment_id"))).toList();
    }

    private static void settle(String id) {
        Waiting.until(() -> {
            process.drain();
            process.resolver.runOnce();
            return switch (books.state(id)) {
                case SUCCEEDED, FAILED, DECLINED, CANCELED, DEAD -> true;
                case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, PURGED -> false;
            };
        });
    }
}
