// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Form-encoded parameters with Stripe's bracket notation, kept flat: {@code metadata[order]}, {@code expand[0]}. */
record Form(Map<String, String> fields) {

    static Form parse(String encoded) {
        Map<String, String> fields = new LinkedHashMap<>();
        int unnamed = 0;
        for (String pair : encoded.split("&")) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = decode(equals < 0 ? pair : pair.substring(0, equals));
                String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
                // Each `list[]` is another element; numbering them keeps them apart and in order.
                fields.put(name.endsWith("[]") ? name.substring(0, name.length() - 1) + unnamed++ + "]" : name, value);
            }
        }
        return new Form(fields);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Invalid percent-encoding in the parameters: " + text));
        }
    }

    /** The value, unless it is absent or empty: to Stripe an empty string unsets. */
    Optional<String> text(String name) {
        return Optional.ofNullable(fields.get(name)).filter(value -> !value.isEmpty());
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    boolean isTrue(String name) {
        return "true".equals(fields.get(name));
    }

    List<String> list(String name) {
        List<String> values = new ArrayList<>();
        fields.forEach((field, value) -> {
            if (field.startsWith(name + "[")) {
                values.add(value);
            }
        });
        return List.copyOf(values);
    }

    Map<String, String> map(String name) {
        Map<String, String> values = new LinkedHashMap<>();
        fields.forEach((field, value) -> {
            if (field.startsWith(name + "[") && field.endsWith("]")) {
                values.put(field.substring(name.length() + 1, field.length() - 1), value);
            }
        });
        return values;
    }

    static String topLevel(String field) {
        int bracket = field.indexOf('[');
        return bracket < 0 ? field : field.substring(0, bracket);
    }

    /** Equal for equal parameters on the same endpoint, in any order. */
    String fingerprint(String path) {
        StringBuilder text = new StringBuilder(path);
        new TreeMap<>(fields).forEach((name, value) -> text.append('\n').append(name.length()).append(name).append('=').append(value));
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Bug! Every JDK has SHA-256", e);
        }
    }
}
