// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Clears away temporary servers of processes that were killed: nobody will ever start over their directories again, so nobody
 * else would stop their Postgres. A directory whose lock is held belongs to a living process and is left alone. Any thread.
 */
final class LeftOvers {
    private LeftOvers() {}

    static void clear(Path temporary) {
        clear(temporary, "chargeonce-postgres-*", "data.lock");
        clear(temporary, "chargeonce-kafka-*", "sandbox.lock");
    }

    private static void clear(Path temporary, String pattern, String lockFile) {
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(temporary, pattern)) {
            for (Path directory : directories) {
                // Without a lock file it is just being made.
                if (Files.exists(directory.resolve(lockFile))) {
                    clear(directory, directory.resolve(lockFile));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look for left-over servers in " + temporary + ": " + e.getMessage(), e);
        }
    }

    private static void clear(Path directory, Path lockFile) throws IOException {
        Optional<DirectoryLock> lock = DirectoryLock.tryTake(lockFile);
        if (lock.isEmpty()) {
            return;
        }
        try {
            new PostgresControl(directory.resolve("data")).stopLeftOver(PostgresServer.Stop.IMMEDIATE);
            Directories.remove(directory);
        } finally {
            lock.get().close();
        }
    }
}
