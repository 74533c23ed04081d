// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.adyen.model.checkout.PaymentResponse;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.IdempotencyKey;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of Adyen's answers: what each means for a first send, and what for a status query. */
class ErrorClassesTest {

    private static final PaymentId PAYMENT = PaymentId.derive("acme", new IdempotencyKey("order-1"));
    private static final PspKey KEY = PspKey.derive(PAYMENT, "charge", "", AdyenGateway.PSP, 1);
    private static final byte[] REQUEST = "{ \"exactly\" : \"thèse bytes\" }".getBytes(StandardCharsets.UTF_8);

    private final AtomicReference<HttpAnswer> answer = new AtomicReference<>(new HttpAnswer.Reset());
    private final AtomicReference<HttpRequest> request = new AtomicReference<>();
    private final HttpListener adyen = HttpListener.start("The test", 0, received -> {
        request.set(received);
        return answer.get();
    });
    private final AdyenGateway gateway = new AdyenGateway(new AdyenSettings("the key", "ChargeonceECOM",
            "http://127.0.0.1:" + adyen.port() + "/v71", Duration.ofSeconds(20)));

    @AfterEach
    void close() {
        adyen.close();
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                row(paid("Authorised", KEY.value(), 1299, "EUR"), "charged", "charged"),
                row(paid("Authorised", KEY.value(), 1298, "EUR"), "answer_mismatch", "answer_mismatch"),
                row(paid("Authorised", KEY.value(), 1299, "USD"), "answer_mismatch", "answer_mismatch"),
                row(paid("Authorised", "another", 1299, "EUR"), "answer_mismatch", "answer_mismatch"),
                row(full(200, "{\"resultCode\":\"Authorised\",\"pspReference\":\"P\"}"), "answer_mismatch", "answer_mismatch"),
                row(paid("Refused", KEY.value(), 1299, "EUR"), "declined insufficient_funds", "declined insufficient_funds"),
                row(full(200, "{\"resultCode\":\"Refused\",\"refusalReasonCode\":\"6\"}"), "declined expired_card",
                        "declined expired_card"),
                row(paid("Refused", "another", 1299, "EUR"), "answer_mismatch", "answer_mismatch"),
                row(paid("Error", KEY.value(), 1299, "EUR"), "declined insufficient_funds", "declined insufficient_funds"),
                row(paid("Cancelled", KEY.value(), 1299, "EUR"), "declined insufficient_funds", "declined insufficient_funds"),
                row(paid("RedirectShopper", KEY.value(), 1299, "EUR"), "declined authentication_required",
                        "declined authentication_required"),
                row(paid("IdentifyShopper", KEY.value(), 1299, "EUR"), "declined authentication_required",
                        "declined authentication_required"),
                row(paid("ChallengeShopper", KEY.value(), 1299, "EUR"), "declined authentication_required",
                        "declined authentication_required"),
                row(paid("Received", KEY.value(), 1299, "EUR"), "still_processing", "still_processing"),
                row(paid("Pending", KEY.value(), 1299, "EUR"), "still_processing", "still_processing"),
                row(paid("PartiallyAuthorised", KEY.value(), 1299, "EUR"), "still_processing", "still_processing"),
                row(paid("SomethingNew", KEY.value(), 1299, "EUR"), "answer_unreadable", "answer_unreadable"),
                row(full(200, "{\"resultCode\":\"Auth"), "answer_unreadable", "answer_unreadable"),
                row(full(200, ""), "answer_unreadable", "answer_unreadable"),
                row(full(200, "null"), "answer_unreadable", "answer_unreadable"),
                row(full(307, ""), "answer_unreadable", "answer_unreadable"),
                row(error(400, "702"), "request_refused", "psp_error"),
                row(error(422, "137"), "request_refused", "psp_error"),
                row(error(422, "704"), "key_in_use", "key_in_use"),
                row(error(409, "704"), "key_in_use", "key_in_use"),
                row(error(422, "137").with("Transient-Error", "true"), "psp_error", "psp_error"),
                row(error(422, "137").with("transient-error", "false"), "request_refused", "psp_error"),
                row(full(422, "<html>a proxy</html>"), "psp_error", "psp_error"),
                row(full(404, "<html>a proxy</html>"), "psp_error", "psp_error"),
                row(error(401, "000"), "credential_refused", "psp_error"),
                row(error(403, "901"), "credential_refused", "psp_error"),
                row(error(429, "000"), "rate_limited", "psp_error"),
                row(error(500, "000"), "psp_error", "psp_error"),
                row(error(500, "000").with("transient-error", "true"), "psp_error", "psp_error"),
                row(error(503, "703").with("transient-error", "true"), "psp_error", "psp_error"),
                row(full(502, "<html>a proxy</html>"), "psp_error", "psp_error"),
                row(new HttpAnswer.Truncated(paid("Authorised", KEY.value(), 1299, "EUR")), "connection_lost", "connection_lost"),
                row(new HttpAnswer.Closed(), "connection_lost", "connection_lost"),
                row(new HttpAnswer.Reset(), "connection_lost", "connection_lost"));
    }

    @ParameterizedTest(name = "{0}: {2}, asked: {3}")
    @MethodSource("answers")
    void every_answer_has_its_meaning(String name, HttpAnswer given, String charging, String asking) {
        answer.set(given);
        assertThat(word(gateway.charge(charge(true)))).isEqualTo(charging);
        assertThat(word(gateway.findOut(charge(true)))).isEqualTo(asking);
    }

    @ParameterizedTest
    @EnumSource
    void every_result_that_adyens_own_client_knows_has_a_meaning(PaymentResponse.ResultCodeEnum result) {
        answer.set(paid(result.getValue(), KEY.value(), 1299, "EUR"));
        assertThat(word(gateway.charge(charge(true)))).isNotEqualTo("answer_unreadable");
    }

    @Test
    void an_endless_answer_leaves_it_unknown_with_any_status() {
        for (int status : new int[] {200, 401, 422, 500}) {
            answer.set(full(status, " ".repeat(2 << 20)));
            assertThat(word(gateway.charge(charge(true)))).as("status %d", status).isEqualTo("answer_unreadable");
            assertThat(word(gateway.findOut(charge(true)))).as("status %d", status).isEqualTo("answer_unreadable");
        }
    }

    @Test
    void a_new_key_is_sent_without_a_restart() {
        var key = new AtomicReference<>("the old key");
        var renewed = new AdyenGateway(new AdyenSettings(key::get, "ChargeonceECOM", "http://127.0.0.1:" + adyen.port() + "/v71",
                Duration.ofSeconds(20), Optional.empty()));
        for (String now : new String[] {"the old key", "the new key"}) {
            key.set(now);
            renewed.charge(charge(true));
            assertThat(request.get().headers()).containsEntry("x-api-key", now);
        }
    }

    @Test
    void the_stored_bytes_are_sent_under_the_key_when_charging_and_when_asking() {
        for (int i = 0; i < 2; i++) {
            request.set(null);
            Outcome ignored = i == 0 ? gateway.charge(charge(true)) : gateway.findOut(charge(true));
            assertThat(request.get().body()).isEqualTo(REQUEST);
            assertThat(request.get().path()).isEqualTo("/v71/payments");
            assertThat(request.get().header("idempotency-key")).contains(KEY.value());
            assertThat(request.get().header("x-api-key")).contains("the key");
        }
    }

    @Test
    void nothing_is_asked_once_the_key_may_be_forgotten() {
        Outcome outcome = gateway.findOut(charge(false));
        assertThat(request.get()).isNull();
        // A person may settle it then; a process that stalled asks again instead.
        assertThat(outcome).asInstanceOf(type(Outcome.Unknown.class)).returns(UnknownCause.CANNOT_BE_ASKED, Outcome.Unknown::cause);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answers")
    void no_error_answered_to_a_refund_that_is_sent_again_says_anything_about_the_money(String name, HttpAnswer given) {
        answer.set(given);
        assertThat(gateway.refunds().orElseThrow().findOut(refund())).isInstanceOf(Outcome.Unknown.class);
    }

    @Test
    void nothing_leaves_when_the_lease_has_ended() {
        RefundGateway refunds = gateway.refunds().orElseThrow();
        assertThat(gateway.charge(charge(true).during(Lease.over()))).isEqualTo(Lease.notSent());
        assertThat(gateway.findOut(charge(true).during(Lease.over()))).isEqualTo(Lease.notAsked(Optional.empty()));
        assertThat(refunds.refund(refund().during(Lease.over()))).isEqualTo(Lease.notSent());
        assertThat(refunds.findOut(refund().during(Lease.over()))).isEqualTo(Lease.notAsked(Optional.empty()));
        assertThat(request.get()).isNull();
    }

    @Test
    void a_refused_connection_sent_nothing_when_charging_and_proves_nothing_when_asking() {
        adyen.refuseConnections();
        assertThat(word(gateway.charge(charge(true)))).isEqualTo("connection_refused");
        assertThat(word(gateway.findOut(charge(true)))).isEqualTo("connection_lost");
    }

    @ParameterizedTest
    @CsvSource({"EUR,1299,1299", "JPY,1299,1299", "BHD,1299,1299", "CLP,1299,129900", "ISK,1299,129900", "IDR,129900,1299",
        "CVE,129900,1299"})
    void four_currencies_are_counted_as_adyen_counts_them(String currency, long ours, long adyens) {
        assertThat(MinorUnits.of(new Money(ours, currency)).orElseThrow().value()).isEqualTo(adyens);
    }

    @Test
    void an_amount_that_adyen_cannot_express_is_refused_and_not_sent() {
        var charge = new Charge(KEY, PAYMENT, new Money(1299, "IDR"), REQUEST, Optional.empty(), true);
        assertThat(word(gateway.charge(charge))).isEqualTo("request_refused");
        assertThat(request.get()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"2,generic_decline", "5,restricted_card", "6,expired_card", "9,issuer_not_available", "12,insufficient_funds",
        "20,fraudulent", "24,incorrect_cvc", "26,revocation_of_authorization", "27,do_not_honor", "38,authentication_required",
        "99,adyen_99"})
    void a_refusal_reason_has_a_stable_word_and_an_unknown_one_keeps_its_number(String code, String word) {
        assertThat(RefusalReasons.declineCode(code)).isEqualTo(word);
    }

    @Test
    void the_settings_do_not_print_the_api_key() {
        assertThat(new AdyenSettings("secret", "M", "http://x", Duration.ofSeconds(1)).toString()).doesNotContain("secret");
    }

    private static Charge charge(boolean mayBeSent) {
        return new Charge(KEY, PAYMENT, new Money(1299, "EUR"), REQUEST, Optional.empty(), mayBeSent)
                .during(Lease.of(Duration.ofMinutes(1)));
    }

    private static Refund refund() {
        return new Refund(KEY, PAYMENT, new Money(1299, "EUR"), "P", REQUEST, Optional.empty(), true)
                .during(Lease.of(Duration.ofMinutes(1)));
    }

    private static Arguments row(HttpAnswer answer, String charging, String asking) {
        String name = answer instanceof HttpAnswer.Full full
                ? full.status() + " " + new String(full.body(), StandardCharsets.UTF_8) : answer.getClass().getSimpleName();
        return Arguments.of(name, answer, charging, asking);
    }

    private static HttpAnswer.Full paid(String resultCode, String reference, long value, String currency) {
        return full(200,
                """
                {"pspReference":"P","resultCode":"%s","merchantReference":"%s","amount":{"value":%d,"currency":"%s"},
                "refusalReasonCode":"12"}"""
                        .formatted(resultCode, reference, value, currency));
    }

    private static HttpAnswer.Full error(int status, String code) {
        return full(status, """
                {"status":%d,"errorCode":"%s","message":"said","errorType":"validation"}""".formatted(status, code));
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
