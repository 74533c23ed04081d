// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"order-1 | order-1", "\"order-1\" | order-1", "order;v=1 | order;v=1",
        "\"a\\\"b\" | a\"b"})
    void a_key_is_bare_or_a_whole_string_in_quotes(String header, String key) {
        assertThat(IdempotencyKey.parse(header)).contains(new IdempotencyKey(key));
    }

    /** With its parameter as a part of it, the same key would be another one, and charge again. */
    @ParameterizedTest
    @ValueSource(strings = {"\"order-1\";v=1", "\"order-1", "\"", "\"\"", "\"order-1\" ", "\"a\"b\"", "\"a\", \"b\"", ""})
    void what_begins_with_a_quote_and_does_not_end_with_it_is_no_key(String header) {
        assertThat(IdempotencyKey.parse(header)).isEmpty();
    }
}
