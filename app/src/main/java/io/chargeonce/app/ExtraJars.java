// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.runtime.Settings;
import io.chargeonce.runtime.SettingsProblems;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.JarFile;

/**
 * Classes that only a setting names, such as a login of Kafka's clients by IAM: those clients, and Postgres's driver, look them up by the
 * context class loader of their thread. Ours are found first.
 */
final class ExtraJars {

    private ExtraJars() {}

    /**
     * For this thread, and all that begin in it later.
     *
     * @throws SettingsProblems if other accounts may write there, no jar is there, or one cannot be read
     */
    static void open(Map<String, String> environment) {
        Settings.first(environment, Settings.EXTRA_JARS).ifPresent(folder -> Thread.currentThread()
                .setContextClassLoader(new URLClassLoader("extra jars", jars(folder), ExtraJars.class.getClassLoader())));
    }

    private static URL[] jars(Path folder) {
        Path read = folder;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.jar")) {
            var sorted = new TreeSet<Path>();
            found.forEach(sorted::add);
            if (sorted.isEmpty()) {
                throw new SettingsProblems(List.of(("%s: %s has no jar in it (its subfolders are not read); put one there, or leave the "
                        + "setting out").formatted(Settings.EXTRA_JARS.name(), folder)));
            }
            var jars = new URL[sorted.size()];
            for (int i = 0; i < jars.length; i++) {
                read = sorted.pollFirst();
                // A class loader takes no notice of a file that is no jar.
                new JarFile(read.toFile()).close();
                jars[i] = read.toUri().toURL();
            }
            return jars;
        } catch (IOException e) {
            throw new SettingsProblems(List.of("%s: %s cannot be read: %s".formatted(Settings.EXTRA_JARS.name(), read, e)));
        }
    }
}
