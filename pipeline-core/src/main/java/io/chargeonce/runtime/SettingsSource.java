// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The texts from the environment and the properties file. Immutable. */
final class SettingsSource {
    private static final String FILE_NAME = Settings.PROPERTIES_FILE.name();

    private final Map<String, String> fromEnvironment;
    private final Map<String, String> fromFile;

    private SettingsSource(Map<String, String> fromEnvironment, Map<String, String> fromFile) {
        this.fromEnvironment = fromEnvironment;
        this.fromFile = fromFile;
    }

    static SettingsSource of(Map<String, String> environment, Consumer<String> problems) {
        Map<String, String> ours = environment.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(Setting.PREFIX))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        Optional<String> file = Optional.ofNullable(ours.remove(FILE_NAME));
        return new SettingsSource(ours, file.map(name -> read(name, problems)).orElse(Map.of()));
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(fromEnvironment.get(name)).or(() -> Optional.ofNullable(fromFile.get(name)));
    }

    /** All given names; every name in the file counts, because the file is ours. */
    Set<String> names() {
        Map<String, String> all = new HashMap<>(fromFile);
        all.putAll(fromEnvironment);
        return all.keySet();
    }

    String whereIs(String name) {
        return fromEnvironment.containsKey(name) ? "the environment" : "the properties file";
    }

    private static Map<String, String> read(String name, Consumer<String> problems) {
        Properties properties = new Properties();
        try (Reader reader = TextFile.open(Path.of(name))) {
            properties.load(reader);
        } catch (IOException | InvalidPathException e) {
            problems.accept(FILE_NAME + ": is '" + name + "', which can't be read; it must be the path of a readable properties file");
        } catch (IllegalArgumentException e) {
            problems.accept(FILE_NAME + ": is '" + name + "', which is not a properties file: " + e.getMessage());
        }
        return properties.stringPropertyNames().stream().collect(Collectors.toMap(each -> each, properties::getProperty));
    }
}
