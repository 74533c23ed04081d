// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Whether a directory can hold the data of Kafka, Postgres and the simulators. Looks only: makes nothing. */
final class DataDirectory {

    private static final long MEGABYTE = 1_000_000;
    /** What Postgres and Kafka write before the first payment, and as much again. */
    private static final long NEEDED = 100 * MEGABYTE;

    private DataDirectory() {}

    /** What is wrong with the named directory, or with the temporary one where none is named. */
    static Optional<String> problem(Optional<Path> named) {
        Path directory = named.orElse(Path.of(System.getProperty("java.io.tmpdir")));
        String who = named.isPresent() ? "--data '" + directory + "'" : "the temporary directory '" + directory + "'";
        Path existing = directory.toAbsolutePath();
        while (Files.notExists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
            return Optional.of(who + " cannot be used, because '" + existing + "' is not a directory");
        }
        if (!Files.isWritable(existing)) {
            return Optional.of(who + " cannot be used, because '" + existing + "' cannot be written to");
        }
        return space(existing).filter(free -> free < NEEDED).map(free -> "%s has %d MB of free space, but %d MB are needed".formatted(who,
                free / MEGABYTE, NEEDED / MEGABYTE));
    }

    private static Optional<Long> space(Path existing) {
        try {
            return Optional.of(Files.getFileStore(existing).getUsableSpace());
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }
}
