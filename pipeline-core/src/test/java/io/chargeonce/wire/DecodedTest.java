// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecodedTest {

    @ParameterizedTest
    @ValueSource(strings = {"{\"type\":\"4242 4242 4242 4242\"}",
        "{\"type\":\"payment.request\",\"version\":\"4242-4242-4242-4242\"}"})
    void a_possible_card_number_is_not_in_the_message_about_poison(String value) {
        Decoded decoded = Decoded.from(new byte[] {1}, value.getBytes(StandardCharsets.UTF_8));
        assertThat(decoded).isInstanceOfSatisfying(Decoded.Poison.class,
                poison -> assertThat(poison.detail()).contains("#").doesNotContain("42"));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
        "pm_4242424242424242 | it is not JSON: see line 1, column 1",
        "{\"type\": | the JSON ends before its last value is complete",
        "{\"type\":1,\"type\":2} | a name occurs twice in the JSON: see line 1, column 17",
        "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]] | the JSON is nested too deep, or a part of it is too long",
        "{\"type\":\"payment.request\",\"version\":1,\"amount\":\"many\"} | 'amount' is missing, or not of the type that it must have",
        "{\"type\":\"payment.request\",\"version\":1,\"amount\":1,\"step\":1} | payment_id is missing"}, delimiter = '|')
    void why_a_record_is_poison_is_said_in_our_words(String value, String why) {
        assertThat(Decoded.from(new byte[] {1}, value.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(new Decoded.Poison(PoisonCause.UNDECODABLE, why));
    }

    @Test
    void the_share_is_read_from_any_record() {
        assertThat(merchant("{\"a\": {\"merchant\": \"x\"}, \"merchant\": \"acme\", broken")).contains("acme");
        assertThat(merchant("{\"merchant\": 7}")).isEmpty();
        assertThat(merchant("{\"merchant\": \"" + "m".repeat(64) + "\"}")).isEmpty();
        assertThat(merchant("[\"merchant\", \"acme\"]")).isEmpty();
        assertThat(merchant("\u0000")).isEmpty();
        assertThat(merchant("")).isEmpty();
        assertThat(Decoded.merchant(null)).isEmpty();
    }

    private static Optional<String> merchant(String json) {
        return Decoded.merchant(json.getBytes(StandardCharsets.UTF_8));
    }
}
