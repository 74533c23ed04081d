package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Keeps a data directory for one server of one process. Without it a second broker would write into the first one's metadata,
 * and a second Postgres would take a living one for a left-over. The system gives the lock back when the process dies.
 */
final class DirectoryLock implements AutoCloseable {
    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
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
    static Optional<DirectoryLock> tryTake(Path lockFile) throws IOException {
        FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (locked(channel)) {
            return Optional.of(new DirectoryLock(channel));
        }
        channel.close();
        return Optional.empty();
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException heldInThisProcess) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot give a directory back: " + e.getMessage(), e);
        }
    }
}
