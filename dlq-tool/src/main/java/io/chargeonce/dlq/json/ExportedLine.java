// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.json;

import io.chargeonce.dlq.story.Import;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.text.Cut;
import io.chargeonce.wire.JsonProblem;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** One line of an exported file. */
public final class ExportedLine {

    public static final class Unreadable extends Exception {

        private static final long serialVersionUID = 1;

        Unreadable(long line, String why) {
            super("has a line %d that is not an exported dead letter: %s".formatted(line, why));
        }
    }

    private static final String PAYMENTS = "exported-payments";

    private ExportedLine() {}

    public static Import.Imported read(String text, long line) throws Unreadable {
        try {
            JsonNode json = PaymentJson.MAPPER.readTree(text);
            String id = json.path("dead_letter_id").asString("");
            String cause = json.path("cause").asString("");
            if (id.isEmpty() || cause.isEmpty() || Cut.isLonger(cause, 100)) {
                throw new Unreadable(line, "it has no dead_letter_id, or no cause of at most 100 characters");
            }
            return new Import.Imported(Optional.of(id), cause, json.path("message").asString(""),
                    json.has("source") ? source(json.path("source")) : payment(id, text), Optional.empty());
        } catch (JacksonException e) {
            throw new Unreadable(line, JsonProblem.of(e));
        }
    }

    private static Story.Source source(JsonNode source) {
        return new Story.Source(source.path("topic").asString("unknown"), source.path("partition").asInt(0),
                source.path("offset").asLong(0), bytes(source, "key"), bytes(source, "value"), bytes(source, "headers"));
    }

    private static Optional<byte[]> bytes(JsonNode source, String name) {
        return source.has(name) ? Optional.of(source.path(name).binaryValue()) : Optional.empty();
    }

    /** A payment of another environment is here no more than a record about it. */
    private static Story.Source payment(String id, String text) {
        return new Story.Source(PAYMENTS, 0, 0, Optional.of(id.getBytes(StandardCharsets.UTF_8)),
                Optional.of(text.getBytes(StandardCharsets.UTF_8)), Optional.empty());
    }
}
