// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.psp.Json;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A status and a JSON body, as text so that a repeat is the same byte for byte. */
record Answer(int status, String body) {
    static Answer of(int status, Consumer<JsonGenerator> properties) {
        return new Answer(status, text(Json.object(properties)));
    }

    /** The same answer with another amount, if it has one. */
    Answer stating(long amount) {
        JsonNode json = Json.tree(bytes());
        if (json.path("amount") instanceof ObjectNode stated) {
            stated.put("value", amount);
        }
        return new Answer(status, text(Json.line(json)));
    }

    byte[] bytes() {
        return body.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}
