package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CardNumbersTest {

    @ParameterizedTest
    @ValueSource(strings = {"4242424242424242", "x4242424242424242y", "4222222222222", "6304000000000000000", "4242 4242 4242 4242",
        "4242 - 4242 - 4242 - 4242", "order 17: 4242-4242-4242-4242", "17 4242 4242 4242 4242 12", "3782 822463 10005"})
    void digits_that_could_be_a_card_number_are_found(String text) {
        assertThat(CardNumbers.isIn(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "order-1001", "4242424242424241", "424242424242", "42424242424242424242", "424242424242/4242",
        "4242.4242.4242.4242", "550e8400-e29b-41d4-a716-446655440000", "2026-01-01T00:00:00Z", "order-2026-000000003", "17-2026-000000123"})
    void other_text_is_left_alone(String text) {
        assertThat(CardNumbers.isIn(text)).isFalse();
    }

    @Test
    void the_largest_body_of_separated_digits_is_searched_without_trouble() {
        assertThat(CardNumbers.isIn("1 ".repeat(32 * 1024))).isFalse();
    }
}
