// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Clears away the temporary servers of processes that were killed. No process starts over their directories again, so nothing else
 * would stop their Postgres. A directory whose lock is held belongs to a living process and is left alone. Any thread.
 */
final class LeftOvers {
    private LeftOvers() {}

    static void clear(Path temporary) {
        clear(temporary, "chargeonce-postgres-*", "data", "data.lock");
        clear(temporary, "chargeonce-kafka-*", "data", "sandbox.lock");
        clear(temporary, "chargeonce-up-*", "postgres", "postgres.lock");
    }

    /** @param data where in the directory the files of a Postgres are, if it has one */
    private static void clear(Path temporary, String pattern, String data, String lockFile) {
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(temporary, pattern)) {
            for (Path directory : directories) {
                // Without a lock file it is just being made.
                if (Files.exists(directory.resolve(lockFile))) {
                    clear(directory, directory.resolve(data), directory.resolve(lockFile));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look for left-over servers in " + temporary + ": " + e.getMessage(), e);
        }
    }

    private static void clear(Path directory, Path data, Path lockFile) throws IOException {
        Optional<DirectoryLock> lock = DirectoryLock.tryTake(lockFile);
        if (lock.isEmpty()) {
            return;
        }
        try {
            new PostgresControl(data).stopLeftOver(PostgresServer.Stop.IMMEDIATE);
            Directories.remove(directory);
        } finally {
            lock.get().close();
        }
    }
}
