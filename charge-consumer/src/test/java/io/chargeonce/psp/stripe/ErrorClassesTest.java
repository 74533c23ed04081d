// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Lease;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of Stripe's answers: what each means during preparation, which moves no money, during confirmation, and for a status query. */
class ErrorClassesTest {

    private static final PaymentId PAYMENT = PaymentId.derive("acme", new IdempotencyKey("order-1"));
    private static final PspKey KEY = PspKey.derive(PAYMENT, "charge", "", StripeGateway.PSP, 1);

    private final AtomicReference<HttpAnswer> toCreate = new AtomicReference<>();
    private final AtomicReference<HttpAnswer> toOthers = new AtomicReference<>();
    /** Where it is answered in another way than the others. */
    private final AtomicReference<HttpAnswer> toCancel = new AtomicReference<>();
    private final HttpListener stripe = HttpListener.start("The test", 0, request -> answer(request.path()));
    private final StripeGateway gateway =
            new StripeGateway(new StripeSettings("sk_test_1", "http://127.0.0.1:" + stripe.port(), Duration.ofSeconds(20)));

    @AfterEach
    void close() {
        stripe.close();
    }

    private HttpAnswer answer(String path) {
        if (path.endsWith("/cancel") && toCancel.get() != null) {
            return toCancel.get();
        }
        return path.equals("/v1/payment_intents") ? toCreate.get() : toOthers.get();
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                row(error(402, "card_error", "\"code\":\"card_declined\",\"decline_code\":\"lost_card\""), "declined lost_card",
                        "declined lost_card", "psp_error"),
                row(error(402, "card_error", "\"code\":\"expired_card\""), "declined expired_card", "declined expired_card", "psp_error"),
                row(error(429, "invalid_request_error", "\"code\":\"rate_limit\""), "rate_limited", "rate_limited", "psp_error"),
                row(error(401, "invalid_request_error", ""), "credential_refused", "credential_refused", "psp_error"),
                row(error(403, "invalid_request_error", ""), "credential_refused", "credential_refused", "psp_error"),
                row(error(400, "invalid_request_error", ""), "request_refused", "psp_error", "psp_error"),
                row(error(404, "invalid_request_error", ""), "request_refused", "psp_error", "psp_error"),
                row(error(422, "invalid_request_error", ""), "request_refused", "psp_error", "psp_error"),
                row(error(400, "invalid_request_error", "\"code\":\"payment_method_currency_mismatch\""), "refused_by_this_psp",
                        "psp_error", "psp_error"),
                row(error(400, "idempotency_error", ""), "key_mismatch", "key_mismatch", "key_mismatch"),
                row(error(409, "invalid_request_error", ""), "key_in_use", "key_in_use", "key_in_use"),
                row(error(409, "invalid_request_error", "\"code\":\"idempotency_key_in_use\"").with("Stripe-Should-Retry", "true"),
                        "key_in_use", "key_in_use", "key_in_use"),
                row(error(429, "invalid_request_error", "\"code\":\"lock_timeout\""), "key_in_use", "key_in_use", "key_in_use"),
                row(error(429, "invalid_request_error", "\"code\":\"lock_timeout\"").with("Retry-After", "7"), "key_in_use", "key_in_use",
                        "key_in_use"),
                row(error(429, "invalid_request_error", "\"code\":\"rate_limit\"").with("Retry-After", "7"), "rate_limited", "rate_limited",
                        "psp_error"),
                row(full(429, "a proxy").with("Retry-After", "7"), "rate_limited", "rate_limited", "psp_error"),
                row(error(400, "invalid_request_error", "").with("Stripe-Should-Retry", "true"), "psp_unwell", "psp_error", "psp_error"),
                row(error(400, "invalid_request_error", "").with("Stripe-Should-Retry", "false"), "request_refused", "psp_error",
                        "psp_error"),
                row(error(405, "invalid_request_error", "").with("Stripe-Should-Retry", "false"), "request_refused", "psp_error",
                        "psp_error"),
                row(error(405, "invalid_request_error", ""), "psp_unwell", "psp_error", "psp_error"),
                row(error(500, "api_error", "").with("Stripe-Should-Retry", "false"), "psp_unwell", "psp_error", "psp_error"),
                row(error(500, "api_error", ""), "psp_unwell", "psp_error", "psp_error"),
                row(error(500, "api_error", "").with("Idempotent-Replayed", "true"), "psp_unwell", "psp_error", "psp_error"),
                row(full(502, "<html>a proxy</html>"), "psp_unwell", "psp_error", "psp_error"),
                row(full(503, ""), "psp_unwell", "psp_error", "psp_error"),
                row(full(500, "[]"), "psp_unwell", "psp_error", "psp_error"),
                row(full(500, "{}"), "psp_unwell", "psp_error", "psp_error"),
                row(full(200, ""), "psp_unwell", "answer_unreadable", "answer_unreadable"),
                row(full(200, "null"), "psp_unwell", "answer_unreadable", "answer_unreadable"),
                row(full(200, "{\"id\":\"pi_"), "psp_unwell", "answer_unreadable", "answer_unreadable"),
                row(full(307, ""), "psp_unwell", "answer_unreadable", "answer_unreadable"),
                row(new HttpAnswer.Truncated(intent("succeeded", 1299, "eur")), "psp_unwell", "connection_lost", "connection_lost"),
                row(new HttpAnswer.Closed(), "psp_unwell", "connection_lost", "connection_lost"),
                row(new HttpAnswer.Reset(), "psp_unwell", "connection_lost", "connection_lost"));
    }

    @ParameterizedTest(name = "{0}: preparing {2}, confirming {3}, asking {4}")
    @MethodSource("answers")
    void every_answer_has_its_meaning(String name, HttpAnswer given, String preparing, String confirming, String asking) {
        toCreate.set(given);
        assertThat(word(gateway.charge(charge(Optional.empty())))).isEqualTo(preparing);
        toCreate.set(intent("requires_confirmation", 1299, "eur"));
        toOthers.set(given);
        assertThat(word(gateway.charge(charge(Optional.empty())))).isEqualTo(confirming);
        assertThat(word(gateway.findOut(charge(Optional.of("pi_1"))))).isEqualTo(asking);
    }

    static Stream<Arguments> intents() {
        return Stream.of(
                row(intent("succeeded", 1299, "eur"), "charged"),
                row(intent("succeeded", 1298, "eur"), "answer_mismatch"),
                row(intent("succeeded", 1299, "usd"), "answer_mismatch"),
                row(full(200,
                        new String(intent("succeeded", 1299, "eur").body(), StandardCharsets.UTF_8).replace(PAYMENT.value(), "pay_other")),
                        "answer_mismatch"),
                row(intent("requires_payment_method", 1299, "eur"), "declined card_error"),
                row(intent("canceled", 1299, "eur"), "cancelled_unexecuted"),
                row(intent("processing", 1299, "eur"), "still_processing"),
                row(intent("requires_capture", 1299, "eur"), "still_processing"),
                row(intent("something_new", 1299, "eur"), "still_processing"));
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("intents")
    void every_status_of_a_payment_has_its_meaning(String name, HttpAnswer given, String meaning) {
        toCreate.set(intent("requires_confirmation", 1299, "eur"));
        toOthers.set(given);
        assertThat(word(gateway.charge(charge(Optional.empty())))).isEqualTo(meaning);
        assertThat(word(gateway.findOut(charge(Optional.of("pi_1"))))).isEqualTo(meaning);
    }

    static Stream<Arguments> cancellations() {
        return Stream.of(
                row(intent("canceled", 1299, "eur"), "cancelled_unexecuted"),
                row(declinedAnd("canceled"), "declined lost_card"),
                row(intent("processing", 1299, "eur"), "still_processing"),
                row(error(400, "invalid_request_error", "\"code\":\"payment_intent_unexpected_state\""), "psp_error"));
    }

    /** Between the status query and the cancellation, a confirmation under way may have ended. */
    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("cancellations")
    void what_was_not_confirmed_is_cancelled_and_the_answer_to_that_has_its_meaning(String name, HttpAnswer given, String meaning) {
        toOthers.set(intent("requires_confirmation", 1299, "eur"));
        toCancel.set(given);
        assertThat(word(gateway.findOut(charge(Optional.of("pi_1"))))).isEqualTo(meaning);
    }

    @Test
    void an_endless_answer_to_the_confirmation_leaves_it_unknown_with_any_status() {
        for (int status : new int[] {200, 401, 402, 500}) {
            toCreate.set(intent("requires_confirmation", 1299, "eur"));
            toOthers.set(full(status, " ".repeat(2 << 20)));
            assertThat(word(gateway.charge(charge(Optional.empty())))).as("status %d", status).isEqualTo("answer_unreadable");
        }
    }

    @Test
    void a_new_key_is_sent_without_a_restart() {
        var sent = new ArrayList<String>();
        var key = new AtomicReference<>("sk_test_old");
        try (var listener = HttpListener.start("The test", 0, request -> {
            sent.add(request.headers().get("authorization"));
            return error(500, "api_error", "");
        })) {
            var renewed = new StripeGateway(new StripeSettings(key::get, "http://127.0.0.1:" + listener.port(), Duration.ofSeconds(20),
                    Optional.empty(), true));
            renewed.charge(charge(Optional.empty()));
            key.set("sk_test_new");
            renewed.charge(charge(Optional.empty()));
        }
        assertThat(sent).containsExactly("Bearer sk_test_old", "Bearer sk_test_new");
    }

    @Test
    void a_decline_stays_one_after_its_payment_was_cancelled() {
        toOthers.set(declinedAnd("canceled"));
        assertThat(word(gateway.findOut(charge(Optional.of("pi_1"))))).isEqualTo("declined lost_card");
    }

    @Test
    void a_refused_connection_sent_nothing_when_charging_and_proves_nothing_when_asking() {
        stripe.refuseConnections();
        assertThat(word(gateway.charge(charge(Optional.empty())))).isEqualTo("connection_refused");
        assertThat(word(gateway.findOut(charge(Optional.of("pi_1"))))).isEqualTo("connection_lost");
    }

    @Test
    void the_settings_do_not_print_the_api_key() {
        assertThat(new StripeSettings("secret", "http://x", Duration.ofSeconds(1), Optional.of("secret")).toString())
                .doesNotContain("secret");
    }

    private static Charge charge(Optional<String> intent) {
        return new Charge(KEY, PAYMENT, new Money(1299, "EUR"), "amount=1299".getBytes(StandardCharsets.UTF_8), intent, true)
                .during(Lease.of(Duration.ofMinutes(1)));
    }

    private static Arguments row(HttpAnswer answer, String... meanings) {
        String name = answer instanceof HttpAnswer.Full full
                ? full.status() + " " + new String(full.body(), StandardCharsets.UTF_8) + more(full.headers())
                : answer.getClass().getSimpleName();
        return Arguments.of(Stream.<Object>concat(Stream.of(name, answer), Stream.of(meanings)).toArray());
    }

    private static String more(Map<String, String> headers) {
        return headers.size() == 1 ? "" : " " + new TreeMap<>(headers).lastEntry();
    }

    private static HttpAnswer.Full intent(String status, long amount, String currency) {
        return full(200, """
                {"id":"pi_1","object":"payment_intent","status":"%s","amount":%d,"amount_received":%d,"currency":"%s",
                 "metadata":{"payment_id":"%s","attempt_key":"%s"}}"""
                .formatted(status, amount, status.equals("succeeded") ? amount : 0, currency, PAYMENT, KEY));
    }

    private static HttpAnswer.Full declinedAnd(String status) {
        return full(200, new String(intent(status, 1299, "eur").body(), StandardCharsets.UTF_8).replace("\"metadata\"",
                """
                        "last_payment_error":{"type":"card_error","code":"card_declined","decline_code":"lost_card","message":"said"},
                        "metadata\""""));
    }

    private static HttpAnswer.Full error(int status, String type, String more) {
        return full(status, "{\"error\":{\"type\":\"%s\",\"message\":\"said\"%s}}".formatted(type, more.isEmpty() ? "" : "," + more));
    }

    private static HttpAnswer.Full full(int status, String body) {
        return new HttpAnswer.Full(status, Map.of("Content-Type", "application/json"), body.getBytes(StandardCharsets.UTF_8));
    }

    private static String word(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Charged charged -> "charged";
            case Outcome.Declined declined -> "declined " + declined.code();
            case Outcome.Failed failed -> failed.cause().tag();
            case Outcome.Unknown unknown -> unknown.cause().tag();
        };
    }
}
