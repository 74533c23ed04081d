package io.chargeonce.dlq.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A person's editor, on this terminal, until it is closed.
 *
 * @param command run by a shell with a file's name as its last argument
 */
record Editor(String command) {

    /** @return what the person made of it */
    byte[] edit(byte[] content) throws IOException {
        // Nobody but this person may read a file that was made this way.
        Path file = Files.createTempFile("dead-letter-", ".json");
        try {
            Files.write(file, content);
            int exit = new ProcessBuilder("sh", "-c", command + " \"$1\"", "edit", file.toString()).inheritIO().start().waitFor();
            if (exit != 0) {
                throw new IOException("the editor '%s' ended with %d".formatted(command, exit));
            }
            return Files.readAllBytes(file);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the editor was open", e);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
