// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** How long the other side asks us to wait, by the header {@code Retry-After} of RFC 9110. Pure. */
public final class RetryAfterHeader {

    /** Who asks for more is asked again after this time. */
    public static final Duration LONGEST = Duration.ofDays(1);

    /** The three forms of RFC 9110, 5.6.7. Two digits of a year are of this century. */
    private static final List<DateTimeFormatter> FORMS = Stream.of("EEE, dd MMM uuuu HH:mm:ss 'GMT'", "EEEE, dd-MMM-uu HH:mm:ss 'GMT'",
            "EEE MMM ppd HH:mm:ss uuuu").map(form -> DateTimeFormatter.ofPattern(form, Locale.US)).toList();

    private RetryAfterHeader() {}

    /**
     * @param value seconds, or a date
     * @return empty if it is neither, or in the past
     */
    public static Optional<Duration> parse(String value, Instant now) {
        String text = value.strip().replaceFirst("^0+(?=[0-9])", "");
        if (text.matches("[0-9]+")) {
            return within(text.length() > 9 ? LONGEST : Duration.ofSeconds(Long.parseLong(text)));
        }
        return date(text).flatMap(until -> within(Duration.between(now, until)));
    }

    /** From an answer's headers. A date counts from the date of the answer: both are of the other side's clock. */
    public static Optional<Duration> in(Map<String, List<String>> headers) {
        Instant answered = header(headers, "date").flatMap(RetryAfterHeader::date).orElse(Instant.MAX);
        return header(headers, "retry-after").flatMap(value -> parse(value, answered));
    }

    private static Optional<String> header(Map<String, List<String>> headers, String name) {
        return headers.entrySet().stream().filter(header -> name.equalsIgnoreCase(header.getKey()))
                .flatMap(header -> header.getValue().stream()).map(String::strip).findFirst();
    }

    private static Optional<Instant> date(String text) {
        return FORMS.stream().flatMap(form -> date(text, form).stream()).findFirst();
    }

    private static Optional<Instant> date(String text, DateTimeFormatter form) {
        try {
            return Optional.of(LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC));
        } catch (DateTimeException anotherForm) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> within(Duration wait) {
        return Optional.of(wait.compareTo(LONGEST) > 0 ? LONGEST : wait).filter(Duration::isPositive);
    }
}
