// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PspTokensTest {

    private static final PspToken STRIPES = new PspToken(Optional.of("cus_1"), "pm_1");

    private static PspTokens raw(Optional<String> customer) {
        return PspTokens.raw(
                new PaymentRequest(new Money(1, "EUR"), "pm_1", customer, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    @Test
    void a_stored_method_has_a_token_at_the_accounts_that_it_was_stored_for_and_at_no_other() {
        PspTokens tokens = PspTokens.stored(Map.of("stripe", STRIPES));
        assertThat(tokens.at("stripe")).contains(STRIPES);
        assertThat(tokens.at("stripe-uk")).isEmpty();
        assertThat(tokens.at("adyen")).isEmpty();
        assertThat(tokens.areDetached()).isFalse();
        assertThat(PspTokens.stored(Map.of()).areDetached()).isTrue();
    }

    @Test
    void a_raw_token_is_told_to_each_psp_as_the_payment_has_it() {
        assertThat(raw(Optional.of("jane")).at("stripe")).contains(new PspToken(Optional.of("jane"), "pm_1", false));
        assertThat(raw(Optional.empty()).at("adyen-us")).contains(new PspToken(Optional.empty(), "pm_1", false));
    }

    @Test
    void the_text_of_a_token_shows_nothing_of_it() {
        assertThat(STRIPES.toString()).doesNotContain("cus_1", "pm_1");
    }
}
