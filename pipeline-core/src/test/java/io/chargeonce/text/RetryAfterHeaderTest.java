// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterHeaderTest {

    private static final Instant NOW = Instant.parse("2026-11-06T08:48:37Z");

    @ParameterizedTest
    @CsvSource({"60, 60", "' 7 ', 7", "86401, 86400", "0000000060, 60", "99999999999999999999, 86400",
        "'Fri, 06 Nov 2026 08:49:37 GMT', 60",
        "'Friday, 06-Nov-26 08:49:37 GMT', 60", "Fri Nov  6 08:49:37 2026, 60", "'Fri, 31 Dec 9999 23:59:59 GMT', 86400"})
    void seconds_and_each_form_of_a_date_are_read(String value, long seconds) {
        assertThat(RetryAfterHeader.parse(value, NOW)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-5", "1e9", "soon", "٦٠", "Fri, 06 Nov 2026 08:47:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Fri, 99 Nov 2026 08:49:37 GMT", "Fri, 06 Nov 2026 08:49:37 CET"})
    void the_past_and_what_is_no_wait_asks_for_none(String value) {
        assertThat(RetryAfterHeader.parse(value, NOW)).isEmpty();
    }

    @Test
    void a_date_counts_from_the_date_of_its_answer() {
        var headers = new HashMap<>(Map.of("retry-after", List.of("Tue, 01 Nov 1994 08:49:37 GMT")));
        assertThat(RetryAfterHeader.in(headers)).isEmpty();
        headers.put("Date", List.of("Tue, 01 Nov 1994 08:49:07 GMT"));
        assertThat(RetryAfterHeader.in(headers)).contains(Duration.ofSeconds(30));
        headers.put("retry-after", List.of("7"));
        assertThat(RetryAfterHeader.in(headers)).contains(Duration.ofSeconds(7));
    }
}
