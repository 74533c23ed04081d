// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** Hides how and by whom a payment is paid: no invariant is about that, and a report is pasted into tickets. */
final class Masked {

    private static final Set<String> HIDDEN = Set.of("payment_method", "paymentMethod", "card", "customer", "shopperEmail", "description",
            "receipt_email");
    private static final JsonNode MASK = StringNode.valueOf("****");
    private static final JsonMapper JSON = new JsonMapper();

    private Masked() {}

    /** What is no JSON may be anything, so only its length is said. */
    static String json(String text) {
        try {
            return JSON.writeValueAsString(masked(JSON.readTree(text)));
        } catch (JacksonException notJson) {
            return "%d characters that are no JSON".formatted(text.length());
        }
    }

    private static JsonNode masked(JsonNode node) {
        switch (node) {
            case ObjectNode fields -> fields.propertyNames().stream().toList()
                    .forEach(name -> fields.set(name, HIDDEN.contains(name) ? hidden(fields.get(name)) : masked(fields.get(name))));
            case ArrayNode items -> {
                for (int i = 0; i < items.size(); i++) {
                    items.set(i, masked(items.get(i)));
                }
            }
            case StringNode string when string.stringValue().startsWith("{") -> {
                return StringNode.valueOf(json(string.stringValue()));
            }
            default -> {
                return node;
            }
        }
        return node;
    }

    private static JsonNode hidden(JsonNode value) {
        return value.isNull() ? value : MASK;
    }
}
