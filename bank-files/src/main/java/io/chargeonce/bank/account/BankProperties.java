// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.account;

import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.sftp.SftpPlace;
import io.chargeonce.bank.xml.Creditor;
import io.chargeonce.runtime.Setting;
import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads an account at a bank from its properties file. Each problem names the file and the property. */
public final class BankProperties {

    /** In the order of docs/bank.md. */
    static final List<String> KNOWN = List.of("name", "message.prefix", "creditor.name", "creditor.iban", "creditor.bic", "creditor.id",
            "host", "port", "user", "password.file", "key.file", "known.hosts", "directory.out", "directory.in", "timeout",
            "zone", "cutoffs", "holidays", "lead.days", "seal.before", "every", "answer.within", "booked.within.days");
    private static final Setting<Duration> DURATION = Setting.duration("CHARGEONCE_BANK_FILES", "A duration.");

    private final Path file;
    private final Properties properties;

    private BankProperties(Path file, Properties properties) {
        this.file = file;
        this.properties = properties;
    }

    /** @throws IllegalArgumentException that says what is wrong where */
    public static BankAccount read(Path file) {
        var properties = new Properties();
        try (Reader text = TextFile.open(file)) {
            properties.load(text);
        } catch (IOException e) {
            throw new IllegalArgumentException("CHARGEONCE_BANK_FILES: %s cannot be read".formatted(file), e);
        }
        return new BankProperties(file, properties).account();
    }

    private BankAccount account() {
        Set<String> unknown = new TreeSet<>(properties.stringPropertyNames());
        unknown.removeAll(KNOWN);
        if (!unknown.isEmpty()) {
            throw wrong("has no use for %s; the properties are %s".formatted(String.join(", ", unknown), String.join(", ", KNOWN)));
        }
        try {
            return new BankAccount(text("name", Optional.of("bank")), text("message.prefix", Optional.of("CO")), creditor(), place(),
                    windows(),
                    duration("answer.within", "4h"), number("booked.within.days", "5"));
        } catch (IllegalArgumentException e) {
            throw e.getMessage().startsWith("CHARGEONCE_BANK_FILES") ? e : wrong(e.getMessage());
        }
    }

    private Creditor creditor() {
        return new Creditor(text("creditor.name"), text("creditor.iban").replace(" ", ""), text("creditor.bic"), text("creditor.id"));
    }

    private SftpPlace place() {
        return new SftpPlace(text("host"), number("port", "22"), text("user"), find("password.file").map(this::path),
                find("key.file").map(this::path), path(text("known.hosts")), text("directory.out"), text("directory.in"),
                duration("timeout", "30s"));
    }

    private Windows windows() {
        ZoneId zone = parsed("zone", text("zone", Optional.of("Europe/Berlin")), ZoneId::of);
        List<LocalTime> cutoffs = list("cutoffs", LocalTime::parse);
        return new Windows(zone, cutoffs, Set.copyOf(list("holidays", LocalDate::parse)), number("lead.days", "1"),
                duration("seal.before", "15m"), find("every").map(each -> parsed("every", each, DURATION::parse)));
    }

    private <T> List<T> list(String key, Function<String, T> parse) {
        return find(key).stream().flatMap(text -> Arrays.stream(text.split(","))).map(String::strip).filter(each -> !each.isEmpty())
                .map(each -> parsed(key, each, parse)).collect(Collectors.toList());
    }

    private Duration duration(String key, String fallback) {
        return parsed(key, text(key, Optional.of(fallback)), DURATION::parse);
    }

    private int number(String key, String fallback) {
        return parsed(key, text(key, Optional.of(fallback)), Integer::parseInt);
    }

    /** Relative to the file. */
    private Path path(String name) {
        return file.toAbsolutePath().getParent().resolve(name);
    }

    private <T> T parsed(String key, String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (RuntimeException notAllowed) {
            throw wrong("%s cannot be '%s'".formatted(key, text));
        }
    }

    private String text(String key) {
        return text(key, Optional.empty());
    }

    private String text(String key, Optional<String> fallback) {
        return find(key).or(() -> fallback).orElseThrow(() -> wrong(key + " is missing"));
    }

    private Optional<String> find(String key) {
        return Optional.ofNullable(properties.getProperty(key)).map(String::strip).filter(text -> !text.isEmpty());
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("CHARGEONCE_BANK_FILES: %s: %s".formatted(file, what));
    }
}
