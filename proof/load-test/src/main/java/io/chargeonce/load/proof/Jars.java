// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.proof;

import java.io.File;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a class path's files are now: a build replaces them, and processes that are started then run another commit. Immutable.
 *
 * @param states path, size and time of each
 */
record Jars(List<String> states) {

    static Jars of(String classPath) {
        return new Jars(Stream.of(classPath.split(File.pathSeparator)).map(File::new)
                .map(file -> "%s %d %d".formatted(file, file.length(), file.lastModified())).toList());
    }
}
