package io.chargeonce.checker;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One request of a client and what came of it. A history file has one a line.
 *
 * @param payload   tells two bodies apart: equal for equal commands
 * @param paymentId as answered; empty unless the result is {@link Result#OK}
 */
public record ClientCall(String merchant, String key, String payload, long amount, String currency, Result result,
                         Optional<String> paymentId) {

    /** OK: answered with a 2xx. FAIL: refused for good, nothing was accepted by this call. UNKNOWN: nobody can say. */
    public enum Result { OK, FAIL, UNKNOWN }

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
        fields.put("payload", payload);
        fields.put("amount", amount);
        fields.put("currency", currency);
        fields.put("result", result.name().toLowerCase(Locale.ROOT));
        paymentId.ifPresent(id -> fields.put("payment_id", id));
        return JSON.writeValueAsString(fields);
    }

    /** @throws IllegalArgumentException if the line is no call */
    public static ClientCall fromLine(String line) {
        JsonNode json = JSON.readTree(line);
        return new ClientCall(json.path("merchant").asString(), json.path("key").asString(), json.path("payload").asString(""),
                json.path("amount").asLong(), json.path("currency").asString(""),
                Result.valueOf(json.path("result").asString().toUpperCase(Locale.ROOT)),
                Optional.ofNullable(json.path("payment_id").stringValue(null)));
    }
}
