// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One request for a refund and what came of it. A history file has one a line, among the payments.
 *
 * @param payment  whose money goes back
 * @param amount   in minor units; without one all that is left goes back
 * @param refundId as answered; empty unless the result is OK
 */
public record RefundCall(String payment, Optional<String> reference, OptionalLong amount, ClientCall.Result result,
        Optional<String> refundId) {

    static final String MARK = "refund_of";
    private static final JsonMapper JSON = new JsonMapper();

    public RefundCall {
        if (refundId.isPresent() != (result == ClientCall.Result.OK)) {
            throw new IllegalArgumentException("a refund's id belongs to an accepted call, and only to one: " + payment);
        }
    }

    /** What the refund is called wherever it is asked for: by its payment and its reference. */
    public String entity() {
        return "payment-" + payment + "-refund" + reference.map(name -> "-" + name).orElse("");
    }

    public String toLine() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put(MARK, payment);
        reference.ifPresent(name -> fields.put("reference", name));
        amount.ifPresent(money -> fields.put("amount", money));
        fields.put("result", result.name().toLowerCase(Locale.ROOT));
        refundId.ifPresent(id -> fields.put("refund_id", id));
        return JSON.writeValueAsString(fields);
    }

    static RefundCall from(JsonNode json) {
        return new RefundCall(json.path(MARK).asString(), Optional.ofNullable(json.path("reference").stringValue(null)),
                json.has("amount") ? OptionalLong.of(json.path("amount").asLong()) : OptionalLong.empty(),
                ClientCall.Result.valueOf(json.path("result").asString().toUpperCase(Locale.ROOT)),
                Optional.ofNullable(json.path("refund_id").stringValue(null)));
    }
}
