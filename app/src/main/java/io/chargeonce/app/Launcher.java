// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import java.nio.file.Path;

/** The script {@code chargeonce} that started this JVM, for hints that can be pasted: among the sources, or in an archive's {@code bin}. */
public final class Launcher {

    private static final Path HERE = Path.of("").toAbsolutePath();
    private static final Path FOLDER = HERE.resolve(System.getProperty("chargeonce.folder", "")).normalize();

    private Launcher() {}

    /** Absolute; the directory that the JVM was started in if no script started it. */
    public static Path folder() {
        return FOLDER;
    }

    /** As it is typed in the directory that the JVM was started in. */
    public static String command() {
        return command(HERE, FOLDER);
    }

    static String command(Path here, Path folder) {
        String below = here.relativize(folder).toString();
        return below.isEmpty() ? "./chargeonce" : (folder.startsWith(here) ? below : folder) + "/chargeonce";
    }
}
