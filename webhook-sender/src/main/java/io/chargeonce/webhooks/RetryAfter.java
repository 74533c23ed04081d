// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** How long a receiver asks us to wait, by the header {@code Retry-After} of RFC 9110. */
final class RetryAfter {

    /** Who asks for more is asked again after this time. */
    static final Duration LONGEST = Duration.ofDays(1);

    private RetryAfter() {}

    /**
     * @param value seconds, or a date
     * @return empty if it is neither, or in the past
     */
    static Optional<Duration> parse(String value, Instant now) {
        String text = value.strip();
        if (text.matches("\\d+")) {
            return positive(text.length() > 9 ? LONGEST : Duration.ofSeconds(Long.parseLong(text)));
        }
        try {
            return positive(Duration.between(now, ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant()));
        } catch (DateTimeException | ArithmeticException noDate) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> positive(Duration wait) {
        return Optional.of(wait.compareTo(LONGEST) > 0 ? LONGEST : wait).filter(Duration::isPositive);
    }
}
