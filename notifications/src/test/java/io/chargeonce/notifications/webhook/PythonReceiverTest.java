// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

class PythonReceiverTest extends ReceiverContract {

    private static final Path FOLDER = ReceiverProcess.EXAMPLES.resolve("python");

    @TempDir
    Path books;

    @Override
    Receiver start(int port, List<String> secrets) throws IOException {
        Optional<String> python = Stream.of("python3", "/usr/bin/python3")
                .filter(one -> ReceiverProcess.answers(one, "-c", "import standardwebhooks")).findFirst();
        assumeTrue(python.isPresent(), "there is no python3 with standardwebhooks: see examples/README.md");
        String book = books.resolve("book").toString();
        return ReceiverProcess.start(FOLDER, port, secrets, Map.of(), () -> shown(python.get(), book), python.get(), "-B", "receiver.py",
                book);
    }

    private static String shown(String python, String book) throws IOException {
        var process = new ProcessBuilder(python, "-B", "receiver.py", book, "--show").directory(FOLDER.toFile()).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
