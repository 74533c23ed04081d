// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentRequest;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PspFieldsTest {

    private static PaymentRequest of(Optional<String> customer, String method) {
        return new PaymentRequest(new Money(1299, "EUR"), method, customer, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static boolean canSay(String psp, PaymentRequest request) {
        return PspFields.canSay(psp, request.money(), PspTokens.raw(request));
    }

    @ParameterizedTest
    @CsvSource({"7, 1, false", "7, 2, false", "7, 3, true", "7, 256, true", "7, 257, false", "😀, 256, true"})
    void adyen_takes_a_customer_of_3_to_256_characters(String character, int times, boolean taken) {
        PaymentRequest request = of(Optional.of(character.repeat(times)), "pm_card_visa");

        assertThat(canSay("adyen", request)).isEqualTo(taken);
        assertThat(canSay("adyen-us", request)).isEqualTo(taken);
        assertThat(canSay("stripe", request)).isTrue();
    }

    @Test
    void adyen_takes_a_token_of_at_most_64_characters() {
        assertThat(canSay("adyen", of(Optional.empty(), "x".repeat(64)))).isTrue();
        assertThat(canSay("adyen", of(Optional.of("cus_7"), "x".repeat(65)))).isFalse();
        assertThat(canSay("stripe", of(Optional.of("cus_7"), "x".repeat(500)))).isTrue();
    }
}
