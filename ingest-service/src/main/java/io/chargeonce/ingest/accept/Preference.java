// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the Prefer header of RFC 7240. Preferences that are unknown or malformed are passed over, as it demands. */
final class Preference {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Pattern WAIT = Pattern.compile("(?i)wait(?:\\s*=\\s*\"?(\\d{1,9})\"?)?\\s*(?:;.*)?");

    private Preference() {}

    /** How long the client would wait for the payment's outcome: at most half a minute, and that without a number. The first one counts. */
    static Optional<Duration> wait(List<String> values) {
        return values.stream().flatMap(value -> Stream.of(value.split(","))).map(String::strip)
                .map(WAIT::matcher).filter(Matcher::matches).findFirst()
                .map(match -> match.group(1) == null ? LONGEST_WAIT
                        : Duration.ofSeconds(Math.min(Long.parseLong(match.group(1)), LONGEST_WAIT.toSeconds())))
                .filter(Duration::isPositive);
    }
}
