// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.chargeonce.text.AddressRange;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The types of settings. */
final class SettingTypes {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
    private static final int LONGEST_REFERENCE = 200;
    private static final Map<String, Duration> UNITS = Map.of(
            "ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1), "d", Duration.ofDays(1));

    static final SettingType<String> TEXT = new SettingType<>("text", text -> text);
    static final SettingType<Integer> INTEGER = new SettingType<>("a whole number", Integer::valueOf);
    static final SettingType<Long> LONG = new SettingType<>("a whole number", Long::valueOf);
    static final SettingType<Boolean> BOOLEAN = new SettingType<>("true or false", SettingTypes::toBoolean);
    static final SettingType<Duration> DURATION_TYPE =
            new SettingType<>("a duration such as 250ms, 5s, 1m, 2h or 1d", SettingTypes::toDuration);
    static final SettingType<List<Duration>> DURATIONS =
            new SettingType<>("durations separated by commas, such as 5s,1m,10m", SettingTypes::toDurations);
    static final SettingType<Instant> TIME =
            new SettingType<>("a time such as 2026-11-22T10:00Z", SettingTypes::toInstant);
    static final SettingType<Address> ADDRESS = new SettingType<>("host:port, such as 127.0.0.1:8080", Address::parse);
    static final SettingType<List<AddressRange>> ADDRESS_RANGES = new SettingType<>(
            "addresses and ranges separated by commas, such as 10.0.0.7,192.0.2.0/24",
            text -> Arrays.stream(text.split(",", -1)).map(String::strip).map(AddressRange::parse).toList());
    static final SettingType<URI> HTTP_URI =
            new SettingType<>("an http or https address, such as https://api.example.com", SettingTypes::toHttpUri);
    static final SettingType<String> URI_REFERENCE = new SettingType<>(
            "a URI reference of at most 200 characters, such as /chargeonce or https://payments.example.com/eu",
            SettingTypes::toUriReference);
    static final SettingType<Path> FOLDER = new SettingType<>("the path of a readable folder", text -> {
        Path folder = Path.of(text);
        if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
            throw new IllegalArgumentException("no such folder, or it can't be read");
        }
        return folder;
    });
    static final SettingType<Path> FILE = new SettingType<>("the path of a readable file", SettingTypes::toReadableFile);
    static final SettingType<Secret> SECRET_FILE =
            new SettingType<>("the path of a readable file that holds the secret", false,
                    text -> toSecret(text, Secret.Form.TEXT));
    static final SettingType<Secret> TOKEN_FILE =
            new SettingType<>("the path of a readable file that holds the secret, in one line of visible ASCII characters", false,
                    text -> toSecret(text, Secret.Form.TOKEN));

    private SettingTypes() {}

    static <E extends Enum<E>> SettingType<E> oneOf(Class<E> type) {
        Map<String, E> byText = Stream.of(type.getEnumConstants()).collect(Collectors.toMap(SettingTypes::text, value -> value));
        String texts = Stream.of(type.getEnumConstants()).map(SettingTypes::text).collect(Collectors.joining(", "));
        return new SettingType<>("one of " + texts, text -> {
            if (!byText.containsKey(text)) {
                throw new IllegalArgumentException("unknown");
            }
            return byText.get(text);
        });
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Boolean toBoolean(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither");
        };
    }

    private static Instant toInstant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException notATime) {
            throw new IllegalArgumentException("no time with an offset", notATime);
        }
    }

    static Duration toDuration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("no number with a unit");
        }
        return UNITS.get(matcher.group(2)).multipliedBy(Long.parseLong(matcher.group(1)));
    }

    private static List<Duration> toDurations(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).map(SettingTypes::toDuration).toList();
    }

    private static URI toHttpUri(String text) {
        URI uri = URI.create(text);
        if (uri.getHost() == null || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
            throw new IllegalArgumentException("no http address");
        }
        return uri;
    }

    private static String toUriReference(String text) {
        if (text.isEmpty() || text.length() > LONGEST_REFERENCE || !URI.create(text).toASCIIString().equals(text)) {
            throw new IllegalArgumentException("no URI reference");
        }
        return text;
    }

    private static Path toReadableFile(String text) {
        Path file = Path.of(text);
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new IllegalArgumentException("no such file, or it can't be read");
        }
        return file;
    }

    private static Secret toSecret(String text, Secret.Form form) {
        try {
            return Secret.in(toReadableFile(text), form);
        } catch (IOException e) {
            throw new IllegalArgumentException("it can't be read as text", e);
        }
    }
}
