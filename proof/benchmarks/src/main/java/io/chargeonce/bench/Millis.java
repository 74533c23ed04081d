// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 0}, {@code 20ms} and {@code 6s}. */
final class Millis implements ITypeConverter<Duration> {

    private static final Pattern TIME = Pattern.compile("(\\d{1,6})(ms|s)|0");

    @Override
    public Duration convert(String text) {
        Matcher time = TIME.matcher(text);
        if (!time.matches()) {
            throw new TypeConversionException("'%s' is no time: write it like 0, 20ms or 6s".formatted(text));
        }
        if (time.group(1) == null) {
            return Duration.ZERO;
        }
        long number = Long.parseLong(time.group(1));
        return time.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }
}
