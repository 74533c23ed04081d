// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** Reads answers as a client would, with a mapper of the tests' own. */
public final class Json {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    public static String text(String json, String field) {
        return MAPPER.readTree(json).path(field).asString("");
    }

    /** A field as JSON. */
    public static String at(String json, String field) {
        return MAPPER.writeValueAsString(MAPPER.readTree(json).path(field));
    }

    /** One field of every object in an array. */
    static List<String> texts(String json, String array, String field) {
        return MAPPER.readTree(json).path(array).valueStream().map(element -> element.path(field).asString("")).toList();
    }

    /** The same object with one field set to a value that is given as JSON. */
    public static String with(String json, String field, String value) {
        var fields = new LinkedHashMap<String, Object>();
        MAPPER.readTree(json).forEachEntry(fields::put);
        fields.put(field, MAPPER.readTree(value));
        return MAPPER.writeValueAsString(fields);
    }
}
