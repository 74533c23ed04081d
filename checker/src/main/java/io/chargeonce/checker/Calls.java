package io.chargeonce.checker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** A client's history. */
public sealed interface Calls {

    /** One call a line, as {@link ClientCall#toLine} writes them; a last line that was cut off by a kill is passed over. */
    record InFile(Path file) implements Calls {}

    record InMemory(List<ClientCall> calls) implements Calls {

        public InMemory {
            calls = List.copyOf(calls);
        }
    }

    default void forEach(Consumer<ClientCall> action) {
        switch (this) {
            case InFile history -> read(history.file, action);
            case InMemory history -> history.calls.forEach(action);
        }
    }

    private static void read(Path file, Consumer<ClientCall> action) {
        try (var reader = Files.newBufferedReader(file)) {
            String line = reader.readLine();
            while (line != null) {
                String next = reader.readLine();
                boolean cutOff = next == null && !line.endsWith("}");
                if (!line.isBlank() && !cutOff) {
                    action.accept(ClientCall.fromLine(line));
                }
                line = next;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the client history " + file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
