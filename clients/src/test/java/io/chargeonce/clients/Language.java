// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client's language, and how a process of it is started. Where its runtime is missing, its tests are skipped and say so. */
enum Language {
    TYPESCRIPT {
        private boolean isBuilt;

        @Override
        synchronized List<String> runtime() {
            Path compiler = FOLDER.resolve("typescript/node_modules/typescript/bin/tsc");
            assumeTrue(answers("node", "--version"), "there is no node");
            assumeTrue(Files.exists(compiler), "there is no compiler: run npm ci in clients/typescript");
            if (!isBuilt) {
                assertThat(run(FOLDER.resolve("typescript"), "node", compiler.toString())).as("the compiler says").isEmpty();
                isBuilt = true;
            }
            return List.of("node");
        }

        @Override
        String driver() {
            return "drive.mjs";
        }

        @Override
        Path program(Path folder, String example) throws IOException {
            String client = FOLDER.resolve("typescript/dist/client.js").toUri().toString();
            return Files.writeString(folder.resolve("example.mjs"), example.replace("chargeonce-client", client));
        }

        /** The package's types are checked too. */
        @Override
        List<String> installed(Path folder, String example) throws IOException {
            Path typescript = FOLDER.resolve("typescript");
            assumeTrue(answers("npm", "--version"), "there is no npm");
            String packed = run(typescript, "npm", "pack", "--offline", "--pack-destination", folder.toString());
            run(folder, "npm", "install", "--offline", "--no-audit", "--no-fund", only(folder, ".tgz", packed));
            Path source = Files.writeString(folder.resolve("example.mts"), example);
            assertThat(run(folder, "node", typescript.resolve("node_modules/typescript/bin/tsc").toString(), "--module", "nodenext",
                    "--target", "es2022", "--strict", "--types", "node",
                    "--typeRoots", typescript.resolve("node_modules/@types").toString(), source.toString())).as("the compiler says")
                    .isEmpty();
            return List.of("node", "example.mjs");
        }
    },
    PYTHON {
        @Override
        List<String> runtime() {
            assumeTrue(answers("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"), "there is no Python 3.9");
            return List.of("python3", "-B");
        }

        @Override
        String driver() {
            return "drive.py";
        }

        @Override
        Path program(Path folder, String example) throws IOException {
            return Files.writeString(folder.resolve("example.py"),
                    "import sys\nsys.path.insert(0, '" + FOLDER.resolve("python") + "')\n" + example);
        }

        /** With the first Python here that can build a wheel without the network. */
        @Override
        List<String> installed(Path folder, String example) throws IOException {
            Optional<String> builder = Stream.of("python3", "/usr/bin/python3")
                    .filter(python -> answers(python, "-c", "import setuptools, wheel, pip")).findFirst();
            assumeTrue(builder.isPresent(), "there is no Python with pip, setuptools and wheel");
            String python = builder.get();
            // The build leaves files beside the sources.
            run(folder, "cp", "-r", FOLDER.resolve("python").toString(), "sources");
            String built = run(folder, python, "-m", "pip", "wheel", "--no-index", "--no-build-isolation", "--no-deps", "./sources");
            run(folder, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", ".", only(folder, ".whl", built));
            assertThat(folder.resolve("chargeonce")).isDirectoryContaining("glob:**/py.typed").isDirectoryContaining("glob:**/api.py");
            Files.writeString(folder.resolve("example.py"), example);
            return List.of(python, "-B", "example.py");
        }
    };

    private static final Path FOLDER = Path.of("").toAbsolutePath();
    private static final JsonMapper JSON = new JsonMapper();

    /** The command that runs a program; it builds the client if that is needed. */
    abstract List<String> runtime();

    abstract String driver();

    /** Makes a program of the README's example. */
    abstract Path program(Path folder, String example) throws IOException;

    /** Builds the package, installs it in the folder, and returns the command that runs the example there. */
    abstract List<String> installed(Path folder, String example) throws IOException;

    /** What the README's example prints with the package. */
    String installedExample(Path folder, String address, String token) throws IOException {
        runtime();
        return run(folder, installed(folder, example(address, token)).toArray(String[]::new));
    }

    private static String only(Path folder, String suffix, String said) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString).filter(name -> name.endsWith(suffix)).findFirst().orElseThrow(() -> new AssertionError(said));
        }
    }

    /** What the README's example prints with the sources. */
    String example(Path folder, String address, String token) throws IOException {
        String[] command = runtime().toArray(String[]::new);
        Path program = program(folder, example(address, token));
        return run(folder, Stream.concat(Arrays.stream(command), Stream.of(program.toString())).toArray(String[]::new));
    }

    private String example(String address, String token) throws IOException {
        String start = "```" + (this == PYTHON ? "python" : "ts") + "\n";
        String readme = Files.readString(FOLDER.resolve("README.md"));
        int from = readme.indexOf(start) + start.length();
        String example = readme.substring(from, readme.indexOf("```", from));
        assertThat(example).contains("http://127.0.0.1:8080", "test_acme");
        return example.replace("http://127.0.0.1:8080", address).replace("test_acme", token);
    }

    private static boolean answers(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException notThere) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String run(Path folder, String... command) {
        try {
            Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A client at this address. */
    Running start(String address, String token) throws IOException {
        var command = new ArrayList<>(runtime());
        command.addAll(List.of(FOLDER.resolve("src/test/drive").resolve(driver()).toString(), address, token));
        return new Running(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** A process that runs one command after the other. */
    static final class Running implements AutoCloseable {

        private final Process process;
        private final BufferedReader answers;
        private final Writer commands;

        private Running(Process process) {
            this.process = process;
            this.answers = process.inputReader(StandardCharsets.UTF_8);
            this.commands = process.outputWriter(StandardCharsets.UTF_8);
        }

        /** @param command as JSON */
        JsonNode does(String command) throws IOException {
            commands.write(command.replace("\n", " ") + "\n");
            commands.flush();
            return JSON.readTree(Optional.ofNullable(answers.readLine()).orElseThrow(() -> new IOException("the client has ended")));
        }

        @Override
        public void close() {
            process.destroy();
        }
    }
}
