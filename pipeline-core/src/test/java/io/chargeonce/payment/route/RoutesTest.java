// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PspTokens;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoutesTest {

    @Test
    void rules_are_read_as_they_are_written() {
        Routes routes =
                Routes.parse("currency=EUR|CHF method=pm_ amount>=100 amount<=900 -> adyen:3, stripe:1; merchant=acme -> stripe,adyen;");
        RouteRule first = routes.rules().getFirst();
        assertThat(first.currencies()).containsExactlyInAnyOrder("EUR", "CHF");
        assertThat(first.methods()).containsExactly("pm_");
        assertThat(first.least()).isEqualTo(100);
        assertThat(first.most()).isEqualTo(900);
        assertThat(first.psps()).containsExactly(new RouteRule.Weighted("adyen", 3), new RouteRule.Weighted("stripe", 1));
        assertThat(routes.rules().getLast().merchants()).containsExactly("acme");
        assertThat(routes.psps()).containsExactlyInAnyOrder("adyen", "stripe");
    }

    @ParameterizedTest
    @ValueSource(strings = {"currency=EUR", "colour=red -> stripe", "-> stripe:0", "-> stripe:x", "amount>=5 amount<=1 -> stripe"})
    void what_is_no_rule_is_refused(String text) {
        assertThatThrownBy(() -> Routes.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-> stripe", "currency=EUR|CHF merchant=acme method=pm_ amount>=100 amount<=900 -> adyen:3,stripe:1; -> bank"})
    void what_was_read_can_be_written_and_read_again(String text) {
        Routes routes = Routes.parse(text);
        assertThat(Routes.parse(routes.text())).isEqualTo(routes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            pm_card_visa | -> stripe,adyen              | stripe
            pm_card_visa | -> stripe:1,adyen:1000       | stripe
            pm_card_visa | -> bank,adyen,stripe         | adyen
            pm_card_visa | method=tok_ -> adyen,stripe; -> stripe,adyen | stripe
            pm_card_visa | method=pm_ -> adyen,stripe   | adyen,stripe
            pm_card_visa | method= -> adyen,stripe      | adyen,stripe
            pmt_x        | -> stripe,adyen,bank         | stripe,adyen
            mandate_x    | -> stripe,bank,bank-uk       | bank,bank-uk
            """)
    void a_raw_token_goes_to_one_psp_unless_its_rule_names_tokens(String method, String text, String psps) {
        var request = new PaymentRequest(new Money(5_000, "EUR"), method, Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
        assertThat(String.join(",", Routes.parse(text).of("acme", request, "pay_1", Optional.empty()))).isEqualTo(psps);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            -> adyen,stripe         | stripe
            -> adyen                | ''
            method= -> adyen,stripe | adyen,stripe
            """)
    void a_raw_token_stays_at_the_psp_where_it_was_tried(String text, String psps) {
        var request = new PaymentRequest(new Money(5_000, "EUR"), "pm_card_visa", Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
        assertThat(String.join(",", Routes.parse(text).of("acme", request, "pay_1", Optional.of("stripe")))).isEqualTo(psps);
        assertThat(String.join(",", Routes.parse(text).ofRule("acme", request))).isEqualTo(text.split("-> ")[1]);
    }

    @ParameterizedTest
    @CsvSource({"-> stripe, false", "-> stripe; currency=IQD -> adyen, false", "currency=IQD -> adyen; -> stripe, true",
        "'-> stripe,adyen', false",
        "'method=pm_ -> stripe,adyen', true",
        "merchant=other -> adyen; -> stripe, false", "-> stripe-uk, false", "-> paper, true", "currency=EUR -> adyen, false",
        "-> bank, false"})
    void an_amount_can_be_said_only_by_a_psp_that_may_get_the_payment(String text, boolean canBeSaid) {
        var request = new PaymentRequest(new Money(5_000, "IQD"), "pm_card_visa", Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
        assertThat(Routes.parse(text).leadToAny("acme", request,
                psp -> KnownPsps.BUILT_IN.canSay(psp, request.money(), PspTokens.raw(request)))).isEqualTo(canBeSaid);
    }
}
