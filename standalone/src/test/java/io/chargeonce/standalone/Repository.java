// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the sources are, from any directory of a test run. */
final class Repository {

    private Repository() {}

    static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("deploy/compose.yaml"))) {
            directory = directory.getParent();
        }
        return directory;
    }
}
