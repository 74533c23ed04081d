// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One request of a client and what came of it. A history file has one a line.
 *
 * @param paymentId as answered; empty unless the result is {@link Result#OK}
 */
public record ClientCall(String merchant, String key, Content content, Result result, Optional<String> paymentId) {

    /**
     * What is to be charged. Two calls for one key that differ in it must not both be accepted.
     *
     * @param amount in minor units
     */
    public record Content(long amount, String currency, String paymentMethod) {

        @Override
        public String toString() {
            return "%d %s by %s".formatted(amount, currency, paymentMethod);
        }
    }

    /** OK: answered with a 2xx. FAIL: refused for good, nothing was accepted by this call. UNKNOWN: it may have been accepted. */
    public enum Result {
        OK, FAIL, UNKNOWN
    }

    private static final JsonMapper JSON = new JsonMapper();

    public ClientCall {
        Objects.requireNonNull(merchant, "merchant is missing");
        Objects.requireNonNull(key, "key is missing");
        if (paymentId.isPresent() != (result == Result.OK)) {
            throw new IllegalArgumentException("a payment id belongs to an accepted call, and only to one: " + key);
        }
    }

    public String toLine() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("merchant", merchant);
        fields.put("key", key);
        fields.put("amount", content.amount);
        fields.put("currency", content.currency);
        fields.put("payment_method", content.paymentMethod);
        fields.put("result", result.name().toLowerCase(Locale.ROOT));
        paymentId.ifPresent(id -> fields.put("payment_id", id));
        return JSON.writeValueAsString(fields);
    }

    /** @throws IllegalArgumentException if the line is no call */
    public static ClientCall fromLine(String line) {
        return from(JSON.readTree(line));
    }

    static ClientCall from(JsonNode json) {
        if (!json.has("payment_method")) {
            throw new IllegalArgumentException(
                    "the history has a call without payment_method: it is not of this version; run the load again");
        }
        return new ClientCall(json.path("merchant").asString(), json.path("key").asString(),
                new Content(json.path("amount").asLong(), json.path("currency").asString(""), json.path("payment_method").asString("")),
                Result.valueOf(json.path("result").asString().toUpperCase(Locale.ROOT)),
                Optional.ofNullable(json.path("payment_id").stringValue(null)));
    }
}
