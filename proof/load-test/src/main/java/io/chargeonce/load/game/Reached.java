// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.game;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Which places of a planted bug have run: a bug that never ran was not tried. Called from the methods that it was written into, on any
 * thread. A universe shares this with the outside; a process of a campaign leaves a file for each place.
 */
public final class Reached {

    /** The property that names the directory of a process's files. */
    public static final String DIRECTORY = "chargeonce.reached";

    private static final Optional<Path> FILES = Optional.ofNullable(System.getProperty(DIRECTORY)).map(Path::of);
    private static final Set<String> PLACES = ConcurrentHashMap.newKeySet();

    private Reached() {}

    public static void at(String place) {
        if (PLACES.add(place)) {
            FILES.ifPresent(directory -> leave(directory.resolve(place)));
        }
    }

    private static void leave(Path file) {
        try {
            Files.createFile(file);
        } catch (FileAlreadyExistsException another) {
            // Another process was there.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Since it was forgotten, in this process. */
    public static Set<String> places() {
        return new TreeSet<>(PLACES);
    }

    /** By the processes that were told of this directory. */
    public static Set<String> places(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            var places = new TreeSet<String>();
            files.forEach(file -> places.add(file.getFileName().toString()));
            return places;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void forget() {
        PLACES.clear();
    }
}
