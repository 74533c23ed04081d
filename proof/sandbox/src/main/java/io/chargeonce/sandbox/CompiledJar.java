// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Makes the jar of a project that is not built with ours. */
public final class CompiledJar {

    private CompiledJar() {}

    /**
     * Compiles against the class path of this process.
     *
     * @param sources a folder with {@code java}, and {@code resources} if there are any
     * @param more    jars that the sources need beside the class path
     * @throws IllegalStateException with the compiler's messages
     */
    public static Path of(Path jar, Path sources, Path... more) throws IOException {
        Path classes = Files.createTempDirectory(jar.toAbsolutePath().getParent(), "classes-");
        String path = String.join(System.getProperty("path.separator"), Stream.concat(Stream.of(System.getProperty("java.class.path")),
                Stream.of(more).map(Path::toString)).toList());
        var arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString(), "-cp", path));
        files(sources.resolve("java")).forEach(file -> arguments.add(file.toString()));
        var messages = new ByteArrayOutputStream();
        if (ToolProvider.getSystemJavaCompiler().run(null, messages, messages, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException(messages.toString(StandardCharsets.UTF_8));
        }
        var entries = new TreeMap<String, Path>();
        collect(entries, classes);
        if (Files.exists(sources.resolve("resources"))) {
            collect(entries, sources.resolve("resources"));
        }
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (var entry : entries.entrySet()) {
                out.putNextEntry(new JarEntry(entry.getKey()));
                if (Files.isRegularFile(entry.getValue())) {
                    Files.copy(entry.getValue(), out);
                }
                out.closeEntry();
            }
        }
        return Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** Folders too, as in the jars of build tools: Spring finds the classes of a package only by its folder. */
    private static void collect(Map<String, Path> entries, Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.filter(path -> !path.equals(folder)).forEach(
                    path -> entries.put(folder.relativize(path) + (Files.isDirectory(path) ? "/" : ""), path));
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}
