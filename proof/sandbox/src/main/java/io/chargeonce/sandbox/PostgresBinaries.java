// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The unpacked Postgres that all embedded servers of this machine share. A kill while it is being unpacked leaves half of it,
 * which the unpacker neither completes nor replaces: every later start would fail.
 */
final class PostgresBinaries {
    private PostgresBinaries() {}

    /** Where the embedded server unpacks, one directory per version, with a file {@code .exists} when it is complete. */
    static Path sharedDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
    }

    static void removeHalfUnpacked(Path shared) {
        if (!Files.isDirectory(shared)) {
            return;
        }
        try (DirectoryStream<Path> versions = Files.newDirectoryStream(shared, "PG-*")) {
            for (Path version : versions) {
                if (!Files.exists(version.resolve(".exists")) && isNotBeingUnpacked(version)) {
                    Directories.remove(version);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look for half unpacked Postgres binaries in " + shared + ": "
                    + e.getMessage(), e);
        }
    }

    private static boolean isNotBeingUnpacked(Path version) throws IOException {
        try (FileChannel channel = FileChannel.open(version.resolve("epg-lock"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException thisProcessIs) {
            return false;
        }
    }
}
