// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The log files of a campaign's services. */
record ServiceLogs(List<Path> files) {

    private static final int MOST_PER_FILE = 5;

    /** The first few of each file, with the file's name. */
    List<String> linesWith(String text) {
        var found = new ArrayList<String>();
        for (Path file : files) {
            try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
                lines.filter(line -> line.contains(text)).limit(MOST_PER_FILE).forEach(line -> found.add(file.getFileName() + ": " + line));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return found;
    }

    void copy(Path into) {
        try {
            Files.createDirectories(into);
            for (Path file : files) {
                Files.copy(file, into.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the logs cannot be kept in " + into + ": " + e.getMessage(), e);
        }
    }
}
