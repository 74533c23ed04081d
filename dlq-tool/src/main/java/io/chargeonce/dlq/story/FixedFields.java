// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;

/** The fields of a request that are never edited, as far as a record, readable or not, shows them. */
final class FixedFields {

    private static final List<String> NAMES = List.of("amount", "currency", "merchant", "payment_method", "idempotency_key");

    private FixedFields() {}

    /** Those that the second record shows with another value than the first, or not at all. */
    static List<String> changed(byte[] before, byte[] after) {
        return NAMES.stream().filter(name -> value(before, name).isPresent() && !value(before, name).equals(value(after, name))).toList();
    }

    private static Optional<String> value(byte[] record, String name) {
        try {
            var value = PaymentJson.MAPPER.readTree(record).path(name);
            return value.isMissingNode() ? Optional.empty() : Optional.of(value.toString());
        } catch (JacksonException unreadable) {
            return search(new String(record, StandardCharsets.UTF_8), name);
        }
    }

    /** The field as JSON writes it, in text that is not JSON. */
    private static Optional<String> search(String text, String name) {
        Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|-?[0-9.eE+]+)").matcher(text);
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }
}
