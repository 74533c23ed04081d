// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How long the server asks us to wait, by the header {@code Retry-After} of RFC 9110. Pure. */
final class RetryAfter {

    /** A number without end is as good as a year. */
    private static final Duration LONGEST = Duration.ofDays(365);

    /** The three forms of RFC 9110, 5.6.7. Two digits of a year are of this century. */
    private static final List<DateTimeFormatter> FORMS = Stream.of("EEE, dd MMM uuuu HH:mm:ss 'GMT'", "EEEE, dd-MMM-uu HH:mm:ss 'GMT'",
            "EEE MMM ppd HH:mm:ss uuuu").map(form -> DateTimeFormatter.ofPattern(form, Locale.US)).toList();

    private RetryAfter() {}

    /** Empty if the text is neither seconds nor a date to come: then the client's own pauses count. */
    static Optional<Duration> parse(String value, Instant now) {
        String text = value.strip().replaceFirst("^0+(?=[0-9])", "");
        if (text.matches("[0-9]+")) {
            return Optional.of(text.length() > 7 ? LONGEST : Duration.ofSeconds(Long.parseLong(text)));
        }
        return FORMS.stream().flatMap(form -> date(text, form).stream()).map(until -> Duration.between(now, until)).findFirst()
                .filter(Duration::isPositive);
    }

    private static Optional<Instant> date(String text, DateTimeFormatter form) {
        try {
            return Optional.of(LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException anotherForm) {
            return Optional.empty();
        }
    }
}
