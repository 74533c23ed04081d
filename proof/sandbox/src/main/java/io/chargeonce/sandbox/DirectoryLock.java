// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps a data directory for one server of one process. Without it a second broker would write into the first one's metadata,
 * and a second Postgres would take a living one for a left-over. The system gives the lock back when the process dies.
 */
public final class DirectoryLock implements AutoCloseable {
    /**
     * Lock files that this process holds. They must not be opened a second time: closing any channel of a file gives back all
     * locks that the process has on it.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path lockFile;
    private final FileChannel channel;

    private DirectoryLock(Path lockFile, FileChannel channel) {
        this.lockFile = lockFile;
        this.channel = channel;
    }

    /** Throws {@link IllegalStateException} if another server holds the lock. */
    static DirectoryLock take(String who, Path directory, Path lockFile) {
        try {
            Files.createDirectories(directory);
            return tryTake(lockFile).orElseThrow(() -> new IllegalStateException(who + " cannot use " + directory
                    + ": it is in use by another one; stop that or choose another directory"));
        } catch (IOException e) {
            throw new UncheckedIOException(who + " cannot use " + directory + ": " + e.getMessage(), e);
        }
    }

    /** The lock, unless a living server holds it. */
    public static Optional<DirectoryLock> tryTake(Path lockFile) throws IOException {
        Path unique = lockFile.toAbsolutePath().getParent().toRealPath().resolve(lockFile.getFileName());
        if (!HELD.add(unique)) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(unique, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            taken = channel.tryLock() != null;
            return taken ? Optional.of(new DirectoryLock(unique, channel)) : Optional.empty();
        } finally {
            if (!taken) {
                if (channel != null) {
                    channel.close();
                }
                HELD.remove(unique);
            }
        }
    }

    /** Whether a living server holds the lock of this file, which is there. */
    static boolean isHeld(Path lockFile) {
        try {
            Optional<DirectoryLock> lock = tryTake(lockFile);
            lock.ifPresent(DirectoryLock::close);
            return lock.isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at " + lockFile + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
            HELD.remove(lockFile);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot give a directory back: " + e.getMessage(), e);
        }
    }
}
