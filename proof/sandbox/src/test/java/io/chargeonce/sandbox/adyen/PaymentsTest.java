// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.adyen.model.checkout.Amount;
import com.adyen.model.checkout.PaymentRequest;
import com.adyen.model.checkout.PaymentResponse;
import com.adyen.service.exception.ApiException;
import io.chargeonce.sandbox.psp.Movement;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PaymentsTest {
    private final AdyenSimulator simulator =
            AdyenSimulator.start(AdyenSimulatorSettings.inMemory().storing("pm_mine", "NOT_ENOUGH_BALANCE"));
    private final Shopper shopper = new Shopper(simulator);

    @AfterEach
    void close() {
        simulator.close();
    }

    @Test
    void an_authorised_payment_moves_the_money_once() throws Exception {
        PaymentResponse paid = shopper.pay(1299, "k1");
        assertThat(paid.getResultCode()).isEqualTo(PaymentResponse.ResultCodeEnum.AUTHORISED);
        assertThat(paid.getMerchantReference()).isEqualTo("order-1");
        assertThat(paid.getAmount()).isEqualTo(new Amount().currency("EUR").value(1299L));
        assertThat(paid.getPspReference()).matches("[0-9A-Z]{16}");
        assertThat(paid.getRefusalReasonCode()).isNull();
        assertThat(simulator.movements()).singleElement().satisfies(capture -> {
            assertThat(capture.kind()).isEqualTo(Movement.Kind.CAPTURE);
            assertThat(capture.payment()).isEqualTo(paid.getPspReference());
            assertThat(capture.amount()).isEqualTo(1299);
            assertThat(capture.currency()).isEqualTo("eur");
            assertThat(capture.reference()).contains("order-1");
            assertThat(capture.metadata()).isEqualTo(Map.of("payment_id", "pay_1"));
            assertThat(capture.idempotencyKey()).contains("k1");
        });
    }

    @ParameterizedTest
    @EnumSource
    void every_published_holder_name_has_its_outcome_and_only_an_approval_moves_money(TestOutcome outcome) throws Exception {
        check(outcome, shopper.pay(100, Shopper.card(outcome.name())));
    }

    @ParameterizedTest
    @EnumSource
    void every_published_number_has_its_outcome(TestOutcome outcome) throws Exception {
        check(outcome, shopper.payments.payments(Shopper.payment(100, Shopper.card("A Shopper"))
                .additionalData(Map.of("RequestedTestAcquirerResponseCode", Integer.toString(outcome.code)))));
    }

    @ParameterizedTest
    @EnumSource
    void every_outcome_has_a_stored_card(TestOutcome outcome) throws Exception {
        check(outcome, shopper.pay(100, Shopper.stored("stored_" + outcome.name().toLowerCase(Locale.ROOT))));
    }

    private void check(TestOutcome outcome, PaymentResponse answer) {
        assertThat(answer.getResultCode().getValue()).isEqualTo(outcome.resultCode);
        assertThat(Optional.ofNullable(answer.getRefusalReason()).orElse("")).isEqualTo(outcome.refusalReason);
        if (!outcome.refusalReason.isEmpty()) {
            assertThat(answer.getRefusalReasonCode()).isEqualTo(Integer.toString(outcome.code));
        }
        assertThat(simulator.movements()).hasSize(outcome.resultCode.equals("Authorised") ? 1 : 0);
    }

    @Test
    void the_raw_answer_of_the_scheme_may_follow_the_holder_name() throws Exception {
        assertThat(shopper.pay(100, Shopper.card("DECLINED : 06 : ERROR")).getRefusalReasonCode()).isEqualTo("2");
    }

    @Test
    void a_card_may_be_stored_under_any_name() throws Exception {
        assertThat(shopper.pay(100, Shopper.stored("pm_mine")).getRefusalReasonCode()).isEqualTo("12");
    }

    @Test
    void a_wrong_security_code_is_a_generic_refusal() throws Exception {
        PaymentResponse refused = shopper.pay(100, Shopper.card("A Shopper").encryptedSecurityCode("test_000"));
        assertThat(refused.getRefusalReasonCode()).isEqualTo("2");
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_challenged_card_redirects_the_shopper_and_moves_nothing() throws Exception {
        PaymentResponse redirect = shopper.pay(100, Shopper.card("A Shopper").encryptedCardNumber("test_4212345678910006"));
        assertThat(redirect.getResultCode()).isEqualTo(PaymentResponse.ResultCodeEnum.REDIRECTSHOPPER);
        assertThat(redirect.getAction().getCheckoutRedirectAction().getUrl()).startsWith("https://");
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_stored_card_is_charged_under_the_shopper_that_it_is_stored_under() throws Exception {
        var paid = shopper.payments.payments(Shopper.payment(100, Shopper.stored("stored_of_jane")).shopperReference("jane"));
        assertThat(paid.getResultCode()).isEqualTo(PaymentResponse.ResultCodeEnum.AUTHORISED);
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of("no amount", Shopper.payment(1, Shopper.card("x")).amount(null), 422, "100"),
                Arguments.of("amount 0", Shopper.payment(0, Shopper.card("x")), 422, "137"),
                Arguments.of("currency", Shopper.payment(1, Shopper.card("x")).amount(new Amount().value(1L).currency("euro")), 422, "138"),
                Arguments.of("no currency of Adyen's page",
                        Shopper.payment(1, Shopper.card("x")).amount(new Amount().value(1L).currency("MGA")), 422, "138"),
                Arguments.of("no reference", Shopper.payment(1, Shopper.card("x")).reference(null), 422, "130"),
                Arguments.of("number", Shopper.payment(1, Shopper.card("x").encryptedCardNumber("test_4111111145551143")), 422, "101"),
                Arguments.of("unknown stored card", Shopper.payment(1, Shopper.stored("unknown")), 422, "800"),
                Arguments.of("another shopper's stored card", Shopper.payment(1, Shopper.stored("stored_of_jane")), 422, "800"),
                Arguments.of("no shopper", Shopper.payment(1, Shopper.stored("stored_approved")).shopperReference(null), 422, "130"),
                Arguments.of("short shopper", Shopper.payment(1, Shopper.stored("stored_approved")).shopperReference("7"), 422, "702"),
                Arguments.of("long shopper", Shopper.payment(1, Shopper.stored("stored_approved")).shopperReference("7".repeat(257)), 422,
                        "702"),
                Arguments.of("long token", Shopper.payment(1, Shopper.stored("stored_approved_" + "x".repeat(64))), 422, "702"),
                Arguments.of("no payment method", Shopper.payment(1, Shopper.card("x")).paymentMethod(null), 422, "14_004"),
                Arguments.of("merchant account", Shopper.payment(1, Shopper.card("x")).merchantAccount("Other"), 403, "901"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void a_wrong_request_is_refused_with_the_published_code(String name, PaymentRequest request, int status, String code) {
        ApiException refused = catchThrowableOfType(ApiException.class, () -> shopper.payments.payments(request));
        assertThat(refused.getStatusCode()).isEqualTo(status);
        assertThat(refused.getError().getErrorCode()).isEqualTo(code);
        assertThat(simulator.movements()).isEmpty();
    }

    @Test
    void a_wrong_api_key_is_unauthorised() {
        ApiException refused = catchThrowableOfType(ApiException.class, () -> new Shopper(simulator.apiBase(), "other").pay(1, "k"));
        assertThat(refused.getStatusCode()).isEqualTo(401);
    }
}
