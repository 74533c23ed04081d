// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/** The one JSON mapper of the simulators. Any thread. */
public final class SandboxJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .changeDefaultPropertyInclusion(value -> value.withValueInclusion(JsonInclude.Include.NON_ABSENT))
            .build();

    private SandboxJson() {}

    /** The value as one line, its end included. */
    public static byte[] line(Object value) {
        return line(MAPPER.writeValueAsBytes(value));
    }

    private static byte[] line(byte[] json) {
        byte[] line = Arrays.copyOf(json, json.length + 1);
        line[json.length] = '\n';
        return line;
    }

    /** Values of one type as lines. The type's parameters are needed where one of them is polymorphic. */
    public record Lines<T>(ObjectReader reader, ObjectWriter writer) {
        public static <T> Lines<T> of(Class<?> type, Class<?>... parameters) {
            JavaType whole = MAPPER.getTypeFactory().constructParametricType(type, parameters);
            return new Lines<>(MAPPER.readerFor(whole), MAPPER.writerFor(whole));
        }

        public T read(String line) {
            return reader.readValue(line);
        }

        byte[] write(T value) {
            return line(writer.writeValueAsBytes(value));
        }
    }

    public static JsonNode tree(byte[] json) {
        return MAPPER.readTree(json);
    }

    /** Renders one object; the consumer writes its properties. */
    public static byte[] object(Consumer<JsonGenerator> properties) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(2048);
        try (JsonGenerator json = MAPPER.createGenerator(bytes)) {
            json.writeStartObject();
            properties.accept(json);
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }
}
