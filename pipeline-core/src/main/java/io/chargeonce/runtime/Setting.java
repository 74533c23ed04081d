// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.chargeonce.text.AddressRange;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One setting, as data: its name, its type and range, its default, and a sentence that describes it. Immutable.
 *
 * <pre>{@code
 * static final Setting<Duration> LEASE = Setting.duration("CHARGEONCE_CLAIM_LEASE", "How long a claim holds.")
 *         .between("1s", "10m").orElse("30s");
 * }</pre>
 *
 * <p>A setting without {@code orElse} or {@code optional} is required. Bounds and defaults are given as text, as an operator
 * would write them, and must themselves be allowed.
 */
public final class Setting<T> {
    static final String PREFIX = "CHARGEONCE_";

    private final String name;
    private final SettingType<T> type;
    private final Fallback<T> fallback;
    private final String description;
    private final Exposure.Judge<T> judge;

    /** The value of a setting that is not given. */
    private sealed interface Fallback<T> {
        record None<T>() implements Fallback<T> {}
        record Text<T>(String text) implements Fallback<T> {}
        record Absent<T>(T value) implements Fallback<T> {}
    }

    private Setting(String name, SettingType<T> type, Fallback<T> fallback, String description, Exposure.Judge<T> judge) {
        if (!name.matches(PREFIX + "[A-Z0-9_]+")) {
            throw new IllegalArgumentException("Bug! A setting can't be called " + name);
        }
        this.name = name;
        this.type = type;
        this.fallback = fallback;
        this.description = description;
        this.judge = judge;
    }

    private static <T> Setting<T> required(String name, SettingType<T> type, String description) {
        return new Setting<>(name, type, new Fallback.None<>(), description, (called, value, all) -> Optional.empty());
    }

    public static Setting<String> string(String name, String description) {
        return required(name, SettingTypes.TEXT, description);
    }

    public static Setting<Integer> integer(String name, String description) {
        return required(name, SettingTypes.INTEGER, description);
    }

    public static Setting<Long> longInteger(String name, String description) {
        return required(name, SettingTypes.LONG, description);
    }

    public static Setting<Boolean> bool(String name, String description) {
        return required(name, SettingTypes.BOOLEAN, description);
    }

    public static Setting<Duration> duration(String name, String description) {
        return required(name, SettingTypes.DURATION_TYPE, description);
    }

    public static Setting<List<Duration>> durations(String name, String description) {
        return required(name, SettingTypes.DURATIONS, description);
    }

    public static Setting<Instant> time(String name, String description) {
        return required(name, SettingTypes.TIME, description);
    }

    public static Setting<Address> address(String name, String description) {
        return required(name, SettingTypes.ADDRESS, description);
    }

    /**
     * An address that other machines may reach over TLS only.
     *
     * @param certificate the setting that switches TLS on
     */
    public static Setting<Address> addressWithTls(String name, String description, Setting<Optional<Path>> certificate) {
        return address(name, description).exposedIf((called, value, all) -> Exposure.withoutTls(called, value, certificate, all));
    }

    public static Setting<List<AddressRange>> addressRanges(String name, String description) {
        return required(name, SettingTypes.ADDRESS_RANGES, description);
    }

    public static Setting<URI> uri(String name, String description) {
        return required(name, SettingTypes.HTTP_URI, description);
    }

    /** It may be relative, and is kept as it was written. */
    public static Setting<String> uriReference(String name, String description) {
        return required(name, SettingTypes.URI_REFERENCE, description);
    }

    /** The texts are the constants' names in lower case, with hyphens. */
    public static <E extends Enum<E>> Setting<E> oneOf(String name, Class<E> type, String description) {
        return required(name, SettingTypes.oneOf(type), description);
    }

    /** A directory that exists and can be read. */
    public static Setting<Path> folder(String name, String description) {
        return required(name, SettingTypes.FOLDER, description);
    }

    /** A file that exists and can be read. */
    public static Setting<Path> file(String name, String description) {
        return required(name, SettingTypes.FILE, description);
    }

    /** The trimmed content of a file that no other account may read; by custom its name ends in {@code _FILE}. */
    public static Setting<Secret> secretFile(String name, String description) {
        return required(name, SettingTypes.SECRET_FILE, description).exposedIf(Exposure::openSecret);
    }

    /** The same for a text that is sent in an HTTP header, or compared with one: one line of visible ASCII characters. */
    public static Setting<Secret> tokenFile(String name, String description) {
        return required(name, SettingTypes.TOKEN_FILE, description).exposedIf(Exposure::openSecret);
    }

    /** The address of a PSP, to which keys and payments are sent. */
    public static Setting<URI> pspUri(String name, String description) {
        return uri(name, description).exposedIf(Exposure::plainHttp);
    }

    /** A file that no other account may read. */
    public static Setting<Path> privateFile(String name, String description) {
        return file(name, description).exposedIf(Exposure::openFile);
    }

    /** The judge's findings are refused at the start, with all other problems. */
    Setting<T> exposedIf(Exposure.Judge<T> judge) {
        return new Setting<>(name, type, fallback, description, judge);
    }

    public Setting<T> orElse(String text) {
        Setting<T> withDefault = new Setting<>(name, type, new Fallback.Text<>(text), description, judge);
        withDefault.parse(text);
        return withDefault;
    }

    public Setting<Optional<T>> optional() {
        return new Setting<>(name, type.map(Optional::of), new Fallback.Absent<>(Optional.empty()), description,
                (called, value, all) -> value.flatMap(given -> judge.finding(called, given, all)));
    }

    /**
     * The same, but a process without it is refused at the start, like one whose value exposes something.
     *
     * @param exposed what would be exposed without it, and what to do; it completes "NAME: …"
     */
    public Setting<Optional<T>> optionalIfExposed(String exposed) {
        Setting<Optional<T>> optional = optional();
        return optional.exposedIf((called, value, all) -> value.isPresent() ? optional.judge.finding(called, value, all)
                : Optional.of(called + ": " + exposed));
    }

    /** Allows only values between these two, both included. For types that have an order. */
    public Setting<T> between(String least, String most) {
        T lowest = parse(least);
        T highest = parse(most);
        return new Setting<>(name, type.narrowedTo("from " + least + " to " + most,
                value -> compare(value, lowest) >= 0 && compare(value, highest) <= 0), fallback, description, judge);
    }

    public String name() {
        return name;
    }

    /** What the text may be; it completes "must be …". */
    public String allowed() {
        return type.allowed();
    }

    /** The default: a text, "(none)" for an optional setting, "(required)" for a required one. */
    public String fallback() {
        return switch (fallback) {
            case Fallback.None<T> none -> "(required)";
            case Fallback.Text<T> text -> text.text();
            case Fallback.Absent<T> absent -> "(none)";
        };
    }

    public String description() {
        return description;
    }

    public boolean isRequired() {
        return fallback instanceof Fallback.None<T>;
    }

    /** The text as a message may show it. */
    public String shown(String text) {
        return type.shown() ? text : "***";
    }

    /** @throws IllegalArgumentException if the text is not allowed */
    public T parse(String text) {
        return type.parse().apply(text);
    }

    /** What its value would expose. */
    Optional<String> exposed(Settings all) {
        return all.find(this).flatMap(value -> exposed(name, value, all));
    }

    /**
     * What a value of the same kind would expose.
     *
     * @param called where it was given, for the message
     */
    public Optional<String> exposed(String called, T value, Settings all) {
        return judge.finding(called, value, all);
    }

    /** Empty for a required setting. */
    public Optional<T> defaultValue() {
        return switch (fallback) {
            case Fallback.None<T> none -> Optional.empty();
            case Fallback.Text<T> text -> Optional.of(parse(text.text()));
            case Fallback.Absent<T> absent -> Optional.of(absent.value());
        };
    }

    @SuppressWarnings("unchecked")
    private static <T> int compare(T left, T right) {
        if (left instanceof Comparable<?> comparable) {
            return ((Comparable<T>) comparable).compareTo(right);
        }
        throw new IllegalStateException("Bug! Values of " + left.getClass().getSimpleName() + " have no order");
    }
}
