// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** The small patterns that repeat in Stripe's JSON. One generator, one thread. */
final class Fields {
    private Fields() {}

    /** Documented fields that the simulator never has a value for are null, as Stripe shows them. */
    static void nulls(JsonGenerator json, List<String> names) {
        names.forEach(json::writeNullProperty);
    }

    static void optional(JsonGenerator json, String name, Optional<String> value) {
        value.ifPresentOrElse(text -> json.writeStringProperty(name, text), () -> json.writeNullProperty(name));
    }

    static void present(JsonGenerator json, String name, Optional<String> value) {
        value.ifPresent(text -> json.writeStringProperty(name, text));
    }

    static void time(JsonGenerator json, String name, Instant value) {
        json.writeNumberProperty(name, value.getEpochSecond());
    }

    static void map(JsonGenerator json, String name, Map<String, String> values) {
        json.writeObjectPropertyStart(name);
        values.forEach(json::writeStringProperty);
        json.writeEndObject();
    }

    static void strings(JsonGenerator json, String name, List<String> values) {
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeString);
        json.writeEndArray();
    }
}
