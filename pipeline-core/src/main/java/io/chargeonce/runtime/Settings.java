// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checked values of a process's settings. Immutable.
 *
 * <p>They come from environment variables and from the properties file given by {@code CHARGEONCE_PROPERTIES_FILE}; a
 * variable takes precedence. All problems are reported at once, here, before anything is started; nothing is repaired.
 *
 * <pre>{@code
 * Settings settings = Settings.load(System.getenv(), ChargeSettings.ALL, catalogue);
 * ChargeSettings charge = settings.read(ChargeSettings::from);
 * }</pre>
 */
public final class Settings {
    /** The path of the properties file. It is read from the environment only; it is declared here for tables of settings. */
    public static final Setting<Optional<Path>> PROPERTIES_FILE =
            Setting.file("CHARGEONCE_PROPERTIES_FILE", "A Java properties file with more settings, by the same names.").optional();

    /** Whether settings that expose something only cause a warning. Every process reads it. */
    public enum Insecure { NO, YES }

    public static final Setting<Insecure> INSECURE = Setting.oneOf("CHARGEONCE_INSECURE", Insecure.class,
            "Whether to start although a setting exposes payments or secrets; with yes, each only causes a warning.").orElse("no");

    /** The folder of plugins decides which other settings there are, so it is read first: {@link #first}. */
    public static final Setting<Optional<Path>> PSP_PLUGINS = Setting.folder("CHARGEONCE_PSP_PLUGINS",
            "A folder of jars, each with the gateway of one more PSP. They run in this process, with all its rights. The same for ingest, "
                    + "charge and retry services.")
            .exposedIf(Exposure::openJars).optional();

    /** Each process reads it first: from then on it finds classes there. */
    public static final Setting<Optional<Path>> EXTRA_JARS = Setting.folder("CHARGEONCE_EXTRA_JARS",
            "A folder of jars for the clients of Kafka and Postgres, such as a login by IAM. They run in this process, "
                    + "with all its rights.")
            .exposedIf(Exposure::openJars).optional();
    private static final Pattern OF_A_PLUGIN = Pattern.compile("CHARGEONCE_PSP_[A-Z0-9]+_[A-Z0-9_]+");

    private final Map<Setting<?>, Object> values;

    private Settings(Map<Setting<?>, Object> values) {
        this.values = Map.copyOf(values);
    }

    /**
     * @param environment usually {@link System#getenv()}
     * @param used        the settings that this process reads: only these are checked and available
     * @param catalogue   the settings of all processes: any other name is a typo, and refused
     * @throws SettingsProblems with everything that is wrong, or that exposes something and is not allowed to
     */
    public static Settings load(Map<String, String> environment, Collection<Setting<?>> used, Collection<Setting<?>> catalogue) {
        List<String> problems = new ArrayList<>();
        SettingsSource source = SettingsSource.of(environment, problems::add);
        var checked = new LinkedHashSet<>(used);
        checked.add(INSECURE);
        Set<String> known = Stream.concat(checked.stream(), catalogue.stream()).map(Setting::name).collect(Collectors.toSet());
        // What a plugin calls its settings is known where plugins are loaded.
        boolean knowsPlugins = used.contains(PSP_PLUGINS);
        unknown(source, known).filter(name -> knowsPlugins || !OF_A_PLUGIN.matcher(name).matches())
                .map(name -> name + ": there is no such setting; correct its name or remove it from " + source.whereIs(name))
                .forEach(problems::add);

        Map<Setting<?>, Object> values = new HashMap<>();
        checked.forEach(setting -> value(setting, source, problems).ifPresent(value -> values.put(setting, value)));
        var settings = new Settings(values);
        List<String> exposed = used.stream().flatMap(setting -> setting.exposed(settings).stream()).toList();
        if (!problems.isEmpty()) {
            throw new SettingsProblems(settings.isInsecure() ? problems : withExposed(problems, exposed));
        }
        settings.allow(exposed);
        return settings;
    }

    /**
     * Reads one setting on which the others depend, and checks no other.
     *
     * @throws SettingsProblems if it is wrong, or exposes something and is not allowed to; {@link #load} warns of what is allowed
     */
    public static <T> T first(Map<String, String> environment, Setting<T> setting) {
        List<String> problems = new ArrayList<>();
        SettingsSource source = SettingsSource.of(environment, problems::add);
        Optional<T> value = value(setting, source, problems);
        if (value.isEmpty() || !problems.isEmpty()) {
            throw new SettingsProblems(problems);
        }
        Insecure insecure = value(INSECURE, source, problems).orElse(Insecure.NO);
        var settings = new Settings(Map.of(setting, value.get(), INSECURE, insecure));
        if (!settings.isInsecure()) {
            settings.allow(setting.exposed(settings).stream().toList());
        }
        return settings.get(setting);
    }

    /**
     * For what a command is given beside its settings.
     *
     * @param exposed what {@link Exposure} found
     * @throws SettingsProblems unless nothing is exposed, or CHARGEONCE_INSECURE allows it
     */
    public void allow(List<String> exposed) {
        if (!isInsecure() && !exposed.isEmpty()) {
            throw new SettingsProblems(withExposed(List.of(), exposed));
        }
        Exposure.warn(exposed);
    }

    private boolean isInsecure() {
        return find(INSECURE).filter(Insecure.YES::equals).isPresent();
    }

    private static List<String> withExposed(List<String> problems, List<String> exposed) {
        return Stream.of(problems, exposed, exposed.isEmpty() ? List.<String>of() : List.of(Exposure.HOW_TO_ALLOW))
                .flatMap(List::stream).toList();
    }

    public <T> T get(Setting<T> setting) {
        return find(setting).orElseThrow(
                () -> new IllegalStateException("Bug! " + setting.name() + " is not among the settings that this process reads"));
    }

    /** Empty if this process does not read it, or if its text is not allowed. */
    <T> Optional<T> find(Setting<T> setting) {
        @SuppressWarnings("unchecked") // The value was parsed by this very setting.
        T value = (T) values.get(setting);
        return Optional.ofNullable(value);
    }

    /**
     * Makes a record of settings.
     *
     * @throws SettingsProblems if the record refuses its values, such as two settings that contradict each other
     */
    public <R> R read(Function<Settings, R> from) {
        try {
            return from.apply(this);
        } catch (IllegalArgumentException refusal) {
            throw new SettingsProblems(String.valueOf(refusal.getMessage()).lines().toList());
        }
    }

    private static Stream<String> unknown(SettingsSource source, Set<String> known) {
        return new TreeSet<>(source.names()).stream().filter(name -> !known.contains(name));
    }

    private static <T> Optional<T> value(Setting<T> setting, SettingsSource source, List<String> problems) {
        Optional<String> text = source.text(setting.name());
        Optional<T> value = text.isPresent() ? parsed(setting, text.get(), problems) : setting.defaultValue();
        if (text.isEmpty() && value.isEmpty()) {
            problems.add(setting.name() + ": is required, and must be " + setting.allowed());
        }
        return value;
    }

    private static <T> Optional<T> parsed(Setting<T> setting, String text, List<String> problems) {
        if (text.isBlank()) {
            problems.add(setting.name() + ": is empty; give " + setting.allowed() + ", or remove it");
            return Optional.empty();
        }
        try {
            return Optional.of(setting.parse(text));
        } catch (IllegalArgumentException notAllowed) {
            problems.add(setting.name() + ": is '" + setting.shown(text) + "', but must be " + setting.allowed());
            return Optional.empty();
        }
    }
}
