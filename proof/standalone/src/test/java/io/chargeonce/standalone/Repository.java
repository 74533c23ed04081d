// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

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

    /** The folders of the modules, and others beside them. */
    static List<Path> modules() throws IOException {
        try (Stream<Path> product = Files.list(root()); Stream<Path> proof = Files.list(root().resolve("proof"))) {
            return Stream.concat(product, proof).toList();
        }
    }

    /** All pages for those who operate it. */
    static String operations() throws IOException {
        var pages = new StringBuilder();
        for (Path page : documents("docs/operate")) {
            pages.append(Files.readString(page));
        }
        return pages.toString();
    }

    /** The pages of a folder and of those in it. */
    static List<Path> documents(String folder) throws IOException {
        try (Stream<Path> files = Files.walk(root().resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
    }
}
