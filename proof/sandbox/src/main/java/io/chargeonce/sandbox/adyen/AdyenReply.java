// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.psp.PspAnswer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A status and a JSON body, as text so that a repeat is the same byte for byte. */
record AdyenReply(int status, String body) implements PspAnswer {
    /** An answer that says by its headers that the same key may be sent again. It is never frozen. */
    record SendAgain(AdyenReply answer) implements PspAnswer {
        @Override
        public int status() {
            return answer.status();
        }

        @Override
        public HttpAnswer.Full to(HttpRequest request, Optional<String> requestId) {
            return answer.to(request, requestId).with("transient-error", "true");
        }
    }

    static AdyenReply of(int status, Consumer<JsonGenerator> properties) {
        return new AdyenReply(status, text(SandboxJson.object(properties)));
    }

    @Override
    public HttpAnswer.Full to(HttpRequest request, Optional<String> requestId) {
        var http = new HttpAnswer.Full(status, Map.of("Content-Type", "application/json;charset=utf-8"), bytes());
        return request.header("idempotency-key").map(key -> http.with("idempotency-key", key)).orElse(http);
    }

    /** The same answer with another amount, if it has one. */
    AdyenReply stating(long amount) {
        JsonNode json = SandboxJson.tree(bytes());
        if (json.path("amount") instanceof ObjectNode stated) {
            stated.put("value", amount);
        }
        return new AdyenReply(status, text(SandboxJson.line(json)));
    }

    private byte[] bytes() {
        return body.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }
}
