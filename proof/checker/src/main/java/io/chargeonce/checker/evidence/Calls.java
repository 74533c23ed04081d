// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client's history. */
public sealed interface Calls {

    /** One call a line, of either kind; a last line that a kill cut off is passed over. */
    record InFile(Path file) implements Calls {}

    record InMemory(List<ClientCall> payments, List<RefundCall> refunds) implements Calls {

        public InMemory {
            payments = List.copyOf(payments);
            refunds = List.copyOf(refunds);
        }

        public InMemory(List<ClientCall> payments) {
            this(payments, List.of());
        }
    }

    JsonMapper JSON = new JsonMapper();

    default void forEach(Consumer<ClientCall> action) {
        switch (this) {
            case InFile history -> read(history.file, json -> {
                if (!json.has(RefundCall.MARK)) {
                    action.accept(ClientCall.from(json));
                }
            });
            case InMemory history -> history.payments.forEach(action);
        }
    }

    default void forEachRefund(Consumer<RefundCall> action) {
        switch (this) {
            case InFile history -> read(history.file, json -> {
                if (json.has(RefundCall.MARK)) {
                    action.accept(RefundCall.from(json));
                }
            });
            case InMemory history -> history.refunds.forEach(action);
        }
    }

    private static void read(Path file, Consumer<JsonNode> action) {
        try (var reader = Files.newBufferedReader(file)) {
            String line = reader.readLine();
            while (line != null) {
                String next = reader.readLine();
                boolean cutOff = next == null && !line.endsWith("}");
                if (!line.isBlank() && !cutOff) {
                    action.accept(JSON.readTree(line));
                }
                line = next;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the client history " + file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
