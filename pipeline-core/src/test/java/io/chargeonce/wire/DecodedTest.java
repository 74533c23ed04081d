package io.chargeonce.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecodedTest {

    @ParameterizedTest
    @ValueSource(strings = {"pm_4242424242424242", "{\"type\":\"4242 4242 4242 4242\"}", "{\"type\":\"payment.request\",\"version\":\"4242-4242-4242-4242\"}"})
    void what_could_be_a_cards_number_is_not_in_the_message_that_says_why_a_record_is_poison(String value) {
        Decoded decoded = Decoded.from(new byte[] {1}, value.getBytes(StandardCharsets.UTF_8));
        assertThat(decoded).isInstanceOfSatisfying(Decoded.Poison.class, poison -> assertThat(poison.detail()).contains("#").doesNotContain("42"));
    }
}
