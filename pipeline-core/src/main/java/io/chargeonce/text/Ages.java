// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: 45s, 3m, 2h, 5d. */
public final class Ages {

    private static final Pattern WRITTEN = Pattern.compile("([1-9]\\d{0,5})([smhd])");

    private Ages() {}

    /** In the largest unit of which there is at least one. */
    public static String brief(Duration age) {
        if (age.toDays() > 0) {
            return age.toDays() + "d";
        }
        if (age.toHours() > 0) {
            return age.toHours() + "h";
        }
        return age.toMinutes() > 0 ? age.toMinutes() + "m" : age.toSeconds() + "s";
    }

    public static Optional<Duration> parse(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (!written.matches()) {
            return Optional.empty();
        }
        long number = Long.parseLong(written.group(1));
        return Optional.of(switch (written.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        });
    }
}
