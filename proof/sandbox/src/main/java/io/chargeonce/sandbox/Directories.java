// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Temporary directories of the sandbox. Any thread. */
public final class Directories {
    private Directories() {}

    /** A new directory; those that killed processes left behind are cleared away first. */
    public static Path temporary(String name) {
        LeftOvers.clear(Path.of(System.getProperty("java.io.tmpdir")));
        try {
            return Files.createTempDirectory("chargeonce-" + name + "-");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create a temporary directory for " + name + ": " + e.getMessage(), e);
        }
    }

    /** Removes a directory and all that is in it. What a server that is just stopping removes meanwhile is no error. */
    public static void remove(Path directory) {
        try {
            Files.walkFileTree(directory, new Removing());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + directory + ": " + e.getMessage(), e);
        }
    }

    private static final class Removing extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
            if (e != null) {
                throw e;
            }
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
