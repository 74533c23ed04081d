// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.Json;
import io.chargeonce.sandbox.psp.PspAnswer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A status and a JSON body, as text so that a repeat is the same byte for byte. */
record Answer(int status, String body) implements PspAnswer {
    /** An answer that says by its headers that the same key may be sent again. It is never frozen. */
    record SendAgain(Answer answer) implements PspAnswer {
        @Override
        public int status() {
            return answer.status();
        }

        @Override
        public HttpAnswer.Full to(HttpRequest request, Optional<String> requestId) {
            return answer.to(request, requestId).with("transient-error", "true");
        }
    }

    static Answer of(int status, Consumer<JsonGenerator> properties) {
        return new Answer(status, text(Json.object(properties)));
    }

    @Override
    public HttpAnswer.Full to(HttpRequest request, Optional<String> requestId) {
        var http = new HttpAnswer.Full(status, Map.of("Content-Type", "application/json;charset=utf-8"), bytes());
        return request.header("idempotency-key").map(key -> http.with("idempotency-key", key)).orElse(http);
    }

    /** The same answer with another amount, if it has one. */
    Answer stating(long amount) {
        JsonNode json = Json.tree(bytes());
        if (json.path("amount") instanceof ObjectNode stated) {
            stated.put("value", amount);
        }
        return new Answer(status, text(Json.line(json)));
    }

    private byte[] bytes() {
        return body.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}
