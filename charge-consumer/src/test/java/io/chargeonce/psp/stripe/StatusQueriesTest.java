// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import io.chargeonce.payment.UnknownCause;
import io.chargeonce.psp.Charge;
import io.chargeonce.psp.Lease;
import io.chargeonce.psp.Refund;
import io.chargeonce.psp.RefundGateway;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import io.chargeonce.sandbox.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every request that only asks, at every call of Stripe: if it fails, with any status, nothing is known about the money. */
class StatusQueriesTest {

    private static final PaymentId PAYMENT = PaymentId.derive("acme", new IdempotencyKey("order-1"));
    private static final PspKey KEY = PspKey.derive(PAYMENT, "charge", "", StripeGateway.PSP, 1);
    private static final Money MONEY = new Money(1299, "EUR");
    private static final HttpAnswer.Full NOTHING_FOUND = full(200, "{\"object\":\"list\",\"data\":[],\"has_more\":false}");
    private static final HttpAnswer.Full FROZEN = error(500, "api_error").with("Idempotent-Replayed", "true");

    /** The failing call, and the answers before it. */
    enum StatusQuery {
        LIST_OF_REFUNDS("GET /v1/refunds", Map.of()),
        REFUND_AGAIN("POST /v1/refunds", Map.of("GET /v1/refunds", NOTHING_FOUND)),
        REFUND_AS_FENCE("POST /v1/refunds", Map.of("GET /v1/refunds", NOTHING_FOUND)),
        CREATE_AGAIN("POST /v1/payment_intents", Map.of("GET /v1/payment_intents/search", NOTHING_FOUND)),
        CREATE_AS_FENCE("POST /v1/payment_intents", Map.of()),
        SEARCH("GET /v1/payment_intents/search", Map.of()),
        RETRIEVE("GET /v1/payment_intents/pi_1", Map.of()),
        RETRIEVE_AFTER_CREATE("GET /v1/payment_intents/pi_1", Map.of("GET /v1/payment_intents/search", NOTHING_FOUND,
                "POST /v1/payment_intents", intent("requires_confirmation"))),
        CANCEL("POST /v1/payment_intents/pi_1/cancel", Map.of("GET /v1/payment_intents/pi_1", intent("requires_confirmation"))),
        CANCEL_AS_FENCE("POST /v1/payment_intents/pi_1/cancel", Map.of("POST /v1/payment_intents", intent("requires_confirmation"),
                "GET /v1/payment_intents/pi_1", intent("requires_confirmation")));

        private final String failing;
        private final Map<String, HttpAnswer> before;

        StatusQuery(String failing, Map<String, HttpAnswer> before) {
            this.failing = failing;
            this.before = before;
        }

        private Outcome ask(StripeGateway gateway) {
            RefundGateway refunds = gateway.refunds().orElseThrow();
            return switch (this) {
                case LIST_OF_REFUNDS, REFUND_AGAIN -> refunds.findOut(refund(true));
                case REFUND_AS_FENCE -> refunds.fence(refund(false));
                case CREATE_AGAIN, RETRIEVE_AFTER_CREATE -> gateway.findOut(charge(Optional.empty(), true));
                case CREATE_AS_FENCE, CANCEL_AS_FENCE -> gateway.fence(charge(Optional.empty(), false));
                case SEARCH -> gateway.findOut(charge(Optional.empty(), false));
                case RETRIEVE, CANCEL -> gateway.findOut(charge(Optional.of("pi_1"), true));
            };
        }
    }

    private final Map<String, HttpAnswer> answers = new ConcurrentHashMap<>();
    private final Map<String, Runnable> whenSent = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final HttpListener stripe = HttpListener.start("The test", 0, this::answer);
    private final StripeGateway gateway = new StripeGateway(
            new StripeSettings("sk_test_1", "http://127.0.0.1:" + stripe.port(), Duration.ofSeconds(20)));

    private HttpAnswer answer(HttpRequest request) {
        String what = request.method() + " " + request.path();
        requests.add(what);
        whenSent.getOrDefault(what, () -> {}).run();
        return answers.getOrDefault(what, new HttpAnswer.Reset());
    }

    @AfterEach
    void close() {
        stripe.close();
    }

    static Stream<Arguments> failures() {
        List<HttpAnswer.Full> given = List.of(error(400, "invalid_request_error"), error(401, "invalid_request_error"),
                error(402, "card_error"), error(403, "invalid_request_error"), error(404, "invalid_request_error"),
                error(409, "invalid_request_error"),
                error(400, "idempotency_error"), error(422, "invalid_request_error"), error(429, "invalid_request_error"),
                error(500, "api_error"), full(404, "<html>a proxy</html>"));
        return Arrays.stream(StatusQuery.values()).flatMap(query -> given.stream().map(answer -> Arguments.of(query, answer.status(),
                new String(answer.body(), StandardCharsets.UTF_8), answer)));
    }

    @ParameterizedTest(name = "{0}: {1} {2}")
    @MethodSource("failures")
    void a_status_query_that_fails_says_nothing_about_the_money(StatusQuery query, int status, String body, HttpAnswer failure) {
        answers.putAll(query.before);
        answers.put(query.failing, failure);
        assertThat(query.ask(gateway)).isInstanceOf(Outcome.Unknown.class);
        assertThat(requests).last().isEqualTo(query.failing);
    }

    @ParameterizedTest
    @EnumSource(names = {"LIST_OF_REFUNDS", "SEARCH", "RETRIEVE", "CREATE_AS_FENCE"})
    void a_status_query_that_was_never_sent_says_nothing_either(StatusQuery query) {
        stripe.refuseConnections();
        assertThat(query.ask(gateway)).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void a_list_that_fails_after_a_frozen_failure_says_nothing_about_the_refund() {
        answers.put("GET /v1/refunds", NOTHING_FOUND);
        answers.put("POST /v1/refunds", FROZEN);
        whenSent.put("POST /v1/refunds", () -> answers.put("GET /v1/refunds", error(404, "invalid_request_error")));
        assertThat(gateway.refunds().orElseThrow().findOut(refund(true))).isInstanceOf(Outcome.Unknown.class);
        assertThat(requests).containsExactly("GET /v1/refunds", "POST /v1/refunds", "GET /v1/refunds");
    }

    @Test
    void a_frozen_failure_of_the_create_is_the_only_error_that_proves_something() {
        answers.put("GET /v1/payment_intents/search", NOTHING_FOUND);
        answers.put("POST /v1/payment_intents", FROZEN);
        assertThat(gateway.findOut(charge(Optional.empty(), true))).isInstanceOfSatisfying(Outcome.Failed.class,
                failed -> assertThat(failed.cause()).isEqualTo(FailureCause.PSP_UNWELL));
    }

    @Test
    void a_list_of_refunds_that_goes_on_does_not_say_that_ours_is_missing() {
        answers.put("GET /v1/refunds", full(200, "{\"object\":\"list\",\"data\":[],\"has_more\":true}"));
        assertThat(gateway.refunds().orElseThrow().findOut(refund(true))).isInstanceOfSatisfying(Outcome.Unknown.class,
                unknown -> assertThat(unknown.cause()).isNotEqualTo(UnknownCause.NOT_FOUND));
        assertThat(requests).containsExactly("GET /v1/refunds");
    }

    @Test
    void a_refund_that_stripe_has_named_and_does_not_list_is_never_sent_again() {
        Refund named = refund(false).withReference(Optional.of("re_1"));
        assertThat(gateway.refunds().orElseThrow().fence(named)).isInstanceOf(Outcome.Unknown.class);
        assertThat(requests).isEmpty();
    }

    @Test
    void of_several_payments_with_one_key_the_one_that_took_the_money_counts() {
        String both = "{\"object\":\"search_result\",\"data\":[%s,%s],\"has_more\":false}"
                .formatted(text(intent("canceled")), text(intent("succeeded")));
        answers.put("GET /v1/payment_intents/search", full(200, both));
        assertThat(gateway.findOut(charge(Optional.empty(), false))).isEqualTo(new Outcome.Charged("pi_1"));
        assertThat(gateway.findOut(charge(Optional.empty(), true))).isEqualTo(new Outcome.Charged("pi_1"));
    }

    /** Search may be late by more than the life of the key. What it has not shown may have taken the money. */
    @Test
    void a_payment_that_the_fence_made_and_cancelled_says_nothing_until_search_shows_it() {
        answers.put("POST /v1/payment_intents", intent("requires_confirmation"));
        answers.put("GET /v1/payment_intents/pi_1", intent("requires_confirmation"));
        answers.put("POST /v1/payment_intents/pi_1/cancel", intent("canceled"));
        assertThat(gateway.fence(charge(Optional.empty(), false))).isInstanceOfSatisfying(Outcome.Unknown.class,
                unknown -> assertThat(unknown.cause()).isEqualTo(UnknownCause.NOT_FOUND));
        assertThat(requests).last().isEqualTo("POST /v1/payment_intents/pi_1/cancel");
        answers.put("GET /v1/payment_intents/search", full(200,
                "{\"object\":\"search_result\",\"data\":[%s],\"has_more\":false}".formatted(text(intent("canceled")))));
        assertThat(gateway.findOut(charge(Optional.empty(), false))).isInstanceOfSatisfying(Outcome.Failed.class,
                failed -> assertThat(failed.cause()).isEqualTo(FailureCause.CANCELLED_UNEXECUTED));
    }

    @Test
    void a_failure_that_is_frozen_under_the_key_of_a_fence_may_be_that_of_an_earlier_fence() {
        answers.put("POST /v1/payment_intents", FROZEN);
        assertThat(gateway.fence(charge(Optional.empty(), false))).isInstanceOf(Outcome.Unknown.class);
    }

    /** A person may give this reference: each attempt moves its own money, and the other one's may be on its way back. */
    @Test
    void the_payment_of_another_attempt_is_not_believed() {
        String other = text(intent("succeeded")).replace(KEY.value(), PspKey.derive(PAYMENT, "charge", "", StripeGateway.PSP, 2).value());
        answers.put("GET /v1/payment_intents/pi_1", full(200, other));
        assertThat(gateway.findOut(charge(Optional.of("pi_1"), false))).isInstanceOfSatisfying(Outcome.Unknown.class,
                unknown -> assertThat(unknown.cause()).isEqualTo(UnknownCause.ANSWER_MISMATCH));
    }

    @Test
    void nothing_that_moves_money_leaves_when_the_lease_has_ended() {
        answers.put("GET /v1/refunds", NOTHING_FOUND);
        answers.put("GET /v1/payment_intents/search", NOTHING_FOUND);
        RefundGateway refunds = gateway.refunds().orElseThrow();
        var late = charge(Optional.empty(), true).during(Lease.over());
        var lateRefund = refund(true).during(Lease.over());
        assertThat(gateway.charge(late)).isEqualTo(Lease.notSent());
        assertThat(gateway.findOut(late)).isEqualTo(Lease.notAsked(Optional.empty()));
        assertThat(gateway.fence(late)).isEqualTo(Lease.notAsked(Optional.empty()));
        assertThat(refunds.refund(lateRefund)).isEqualTo(Lease.notSent());
        assertThat(refunds.findOut(lateRefund)).isEqualTo(Lease.notAsked(Optional.empty()));
        assertThat(refunds.fence(lateRefund)).isEqualTo(Lease.notAsked(Optional.empty()));
        assertThat(requests).allMatch(request -> request.startsWith("GET"));
    }

    @Test
    void an_intent_of_a_forgotten_payment_under_the_same_key_is_not_this_attempts() {
        Instant sent = Instant.parse("2026-03-01T12:00:00Z");
        answers.put("GET /v1/payment_intents/search", found(intent("succeeded", sent.minus(Duration.ofDays(15)))));
        assertThat(gateway.findOut(charge(Optional.empty(), false).firstSent(sent))).isInstanceOfSatisfying(Outcome.Unknown.class,
                unknown -> assertThat(unknown.cause()).isEqualTo(UnknownCause.NOT_FOUND));
        answers.put("GET /v1/payment_intents/pi_1", intent("succeeded", sent.minus(Duration.ofDays(15))));
        assertThat(gateway.findOut(charge(Optional.of("pi_1"), false).firstSent(sent))).isInstanceOfSatisfying(Outcome.Unknown.class,
                unknown -> assertThat(unknown.cause()).isEqualTo(UnknownCause.ANSWER_MISMATCH));
        answers.put("GET /v1/payment_intents/search", found(intent("succeeded", sent.minus(Duration.ofHours(2)))));
        assertThat(gateway.findOut(charge(Optional.empty(), false).firstSent(sent))).isEqualTo(new Outcome.Charged("pi_1"));
    }

    private static HttpAnswer.Full found(HttpAnswer.Full intent) {
        return full(200, "{\"object\":\"list\",\"data\":[%s],\"has_more\":false}".formatted(text(intent)));
    }

    private static Charge charge(Optional<String> intent, boolean mayBeSent) {
        return new Charge(KEY, PAYMENT, MONEY, "amount=1299".getBytes(StandardCharsets.UTF_8), intent, mayBeSent)
                .during(Lease.of(Duration.ofMinutes(1)));
    }

    private static Refund refund(boolean mayBeSent) {
        return new Refund(KEY, PAYMENT, MONEY, "pi_1", "amount=1299".getBytes(StandardCharsets.UTF_8), Optional.empty(), mayBeSent)
                .during(Lease.of(Duration.ofMinutes(1)));
    }

    private static HttpAnswer.Full intent(String status) {
        return intent(status, Instant.now());
    }

    private static HttpAnswer.Full intent(String status, Instant created) {
        return full(200, """
                {"id":"pi_1","object":"payment_intent","status":"%s","amount":1299,"amount_received":%d,"currency":"eur","created":%d,
                 "metadata":{"payment_id":"%s","attempt_key":"%s"}}"""
                .formatted(status, status.equals("succeeded") ? 1299 : 0, created.getEpochSecond(), PAYMENT, KEY));
    }

    private static String text(HttpAnswer.Full answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static HttpAnswer.Full error(int status, String type) {
        return full(status, "{\"error\":{\"type\":\"%s\",\"message\":\"said\"}}".formatted(type));
    }

    private static HttpAnswer.Full full(int status, String body) {
        return new HttpAnswer.Full(status, Map.of("Content-Type", "application/json"), body.getBytes(StandardCharsets.UTF_8));
    }
}
