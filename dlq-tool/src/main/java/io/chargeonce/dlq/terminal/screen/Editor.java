// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs a person's editor on this terminal, on a file that only this person may read. The file stays until it is
 * deleted, so that text which was refused is not lost.
 *
 * @param command run by a shell with the file's name as its last argument
 */
public record Editor(String command, Path file) {

    public static Editor on(byte[] content, String command) throws IOException {
        return new Editor(command, Files.write(Files.createTempFile("dead-letter-", ".json"), content));
    }

    /** @return what the person made of it */
    public byte[] edit() throws IOException {
        try {
            int exit = new ProcessBuilder("sh", "-c", command + " \"$1\"", "edit", file.toString()).inheritIO().start().waitFor();
            if (exit != 0) {
                throw new IOException("the editor '%s' ended with %d".formatted(command, exit));
            }
            return text();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the editor was open", e);
        }
    }

    public byte[] text() throws IOException {
        return Files.readAllBytes(file);
    }

    public void delete() throws IOException {
        Files.deleteIfExists(file);
    }
}
