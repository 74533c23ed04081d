package io.chargeonce.runtime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The checked values of a process's settings. Immutable.
 *
 * <p>They come from environment variables, then from a properties file that {@code CHARGEONCE_PROPERTIES_FILE} names; a
 * variable wins over the file. All problems are found at once, here, before anything is started; nothing is repaired.
 *
 * <pre>{@code
 * Settings settings = Settings.load(System.getenv(), ChargeSettings.ALL, catalogue);
 * ChargeSettings charge = settings.read(ChargeSettings::from);
 * }</pre>
 */
public final class Settings {
    /** Where the properties file is. Only the environment says so; here for tables of settings. */
    public static final Setting<Optional<Path>> PROPERTIES_FILE =
            Setting.file("CHARGEONCE_PROPERTIES_FILE", "A Java properties file with more settings, by the same names.").optional();

    private final Map<Setting<?>, Object> values;

    private Settings(Map<Setting<?>, Object> values) {
        this.values = Map.copyOf(values);
    }

    /**
     * @param environment usually {@link System#getenv()}
     * @param used        the settings that this process reads: these are checked, and only these can be got
     * @param catalogue   the settings of all processes: any other name is a typo, and refused
     * @throws SettingsProblems naming everything that is wrong
     */
    public static Settings load(Map<String, String> environment, Collection<Setting<?>> used, Collection<Setting<?>> catalogue) {
        List<String> problems = new ArrayList<>();
        SettingsSource source = SettingsSource.of(environment, problems::add);
        Set<String> known = Stream.concat(used.stream(), catalogue.stream()).map(Setting::name).collect(Collectors.toSet());
        unknown(source, known).forEach(problems::add);

        Map<Setting<?>, Object> values = new HashMap<>();
        used.forEach(setting -> value(setting, source, problems).ifPresent(value -> values.put(setting, value)));
        if (!problems.isEmpty()) {
            throw new SettingsProblems(problems);
        }
        return new Settings(values);
    }

    public <T> T get(Setting<T> setting) {
        @SuppressWarnings("unchecked") // The value was parsed by this very setting.
        T value = (T) values.get(setting);
        if (value == null) {
            throw new IllegalStateException("Bug! " + setting.name() + " is not among the settings that this process reads");
        }
        return value;
    }

    /**
     * Makes a record of settings.
     *
     * @throws SettingsProblems if the record refuses what it is given, such as two settings that don't go together
     */
    public <R> R read(Function<Settings, R> from) {
        try {
            return from.apply(this);
        } catch (IllegalArgumentException refusal) {
            throw new SettingsProblems(List.of(String.valueOf(refusal.getMessage())));
        }
    }

    private static List<String> unknown(SettingsSource source, Set<String> known) {
        return new TreeSet<>(source.names()).stream()
                .filter(name -> !known.contains(name))
                .map(name -> name + ": there is no such setting; correct its name or take it out of " + source.whereIs(name))
                .toList();
    }

    private static <T> Optional<T> value(Setting<T> setting, SettingsSource source, List<String> problems) {
        Optional<String> text = source.text(setting.name());
        Optional<T> value = text.isPresent() ? parsed(setting, text.get(), problems) : setting.valueWhenNobodySays();
        if (text.isEmpty() && value.isEmpty()) {
            problems.add(setting.name() + ": is required, and must be " + setting.allowed());
        }
        return value;
    }

    private static <T> Optional<T> parsed(Setting<T> setting, String text, List<String> problems) {
        if (text.isBlank()) {
            problems.add(setting.name() + ": is empty; give " + setting.allowed() + ", or take it out");
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
