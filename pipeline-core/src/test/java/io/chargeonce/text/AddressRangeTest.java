// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {

    @ParameterizedTest
    @CsvSource({"192.0.2.7, 192.0.2.7/32", "192.0.2.7/24, 192.0.2.0/24", "0.0.0.0/0, 0.0.0.0/0", "2001:db8::1/32, 2001:db8:0:0:0:0:0:0/32"})
    void a_range_begins_where_its_prefix_says(String text, String range) {
        assertThat(AddressRange.parse(text)).hasToString(range);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.1/24", "10.20.300", "192.0.2.0/33", "192.0.2.0/", "192.0.2.0/+24", "192.0.2.0/٢٤", "192.0.2.0/024",
        "192.0.2.0/-1", "192.0.2.0/24/8", "::ffff:192.0.2.0/24", "::/129", "office.example/24"})
    void another_network_is_never_guessed(String text) {
        assertThatThrownBy(() -> AddressRange.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'");
    }
}
