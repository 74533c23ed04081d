// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.payment.Rail;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownPspsTest {

    private static PaymentRequest of(Optional<String> customer, String method) {
        return new PaymentRequest(new Money(1299, "EUR"), method, customer, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static boolean canSay(String psp, PaymentRequest request) {
        return KnownPsps.BUILT_IN.canSay(psp, request.money(), PspTokens.raw(request));
    }

    @ParameterizedTest
    @CsvSource({"7, 1, false", "7, 2, false", "7, 3, true", "7, 256, true", "7, 257, false", "😀, 256, true"})
    void adyen_takes_a_customer_of_3_to_256_characters(String character, int times, boolean taken) {
        PaymentRequest request = of(Optional.of(character.repeat(times)), "pm_card_visa");

        assertThat(canSay("adyen", request)).isEqualTo(taken);
        assertThat(canSay("adyen-us", request)).isEqualTo(taken);
        assertThat(canSay("stripe", request)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"stripe, true", "stripe-uk, true", "adyen-us, true", "stripe-UK, false", "stripe-, false", "paper, false",
        "stripes, false"})
    void an_account_has_the_name_of_its_psp_or_that_with_a_dash_and_another(String account, boolean isOne) {
        assertThat(KnownPsps.BUILT_IN.canBeNamed(account, Rail.CARD)).isEqualTo(isOne);
        assertThat(KnownPsps.BUILT_IN.canBeNamed(account, Rail.BANK_DEBIT)).isFalse();
    }

    @Test
    void a_plugins_units_and_fields_count_like_those_of_the_others() {
        var paper = new PspRules("paper", PspUnits.none().with(2, 5, "EUR"), new PspRules.Field("drawer", 1, 8),
                new PspRules.Field("cheque", 1, 4), false);
        var all = KnownPsps.of(List.of(PspRules.STRIPE, paper));
        assertThat(all.canSay("paper", new Money(1300, "EUR"))).isTrue();
        assertThat(all.canSay("paper-eu", new Money(1299, "EUR"))).isFalse();
        assertThat(all.allCanSay(new Money(1299, "EUR"))).isFalse();
        assertThat(all.canSay("paper", new Money(1300, "EUR"), PspTokens.raw(of(Optional.empty(), "12345")))).isFalse();
        assertThat(all.canSay("paper", new Money(1300, "EUR"), PspTokens.raw(of(Optional.of("jane"), "1234")))).isTrue();
        assertThat(all.names(Rail.CARD)).startsWith("paper or stripe, or one of them with a dash");
        assertThatThrownBy(() -> KnownPsps.of(List.of(paper, paper))).hasMessageContaining("two PSPs are called paper");
    }

    @Test
    void adyen_takes_a_token_of_at_most_64_characters() {
        assertThat(canSay("adyen", of(Optional.empty(), "x".repeat(64)))).isTrue();
        assertThat(canSay("adyen", of(Optional.of("cus_7"), "x".repeat(65)))).isFalse();
        assertThat(canSay("stripe", of(Optional.of("cus_7"), "x".repeat(500)))).isTrue();
    }
}
