// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class HttpAddressTest {

    @Test
    void an_address_has_a_scheme_and_a_host() {
        assertThat(new HttpAddress().convert("https://pay.example.com").getHost()).isEqualTo("pay.example.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:8080", "localhost:8080", "//127.0.0.1", "ftp://127.0.0.1", "http://", "pay"})
    void what_is_no_address_is_said_in_words(String text) {
        assertThatThrownBy(() -> new HttpAddress().convert(text)).isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is no address: write http://");
    }
}
