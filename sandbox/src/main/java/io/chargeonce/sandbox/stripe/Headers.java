// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers that Stripe's answers carry. */
final class Headers {
    private static final String VERSION = "2026-07-29.dahlia";

    private Headers() {}

    static HttpAnswer.Full answer(HttpRequest request, String requestId, Answer answer) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "application/json");
        headers.put("Request-Id", requestId);
        headers.put("Stripe-Version", request.header("stripe-version").orElse(VERSION));
        request.header("idempotency-key").ifPresent(key -> headers.put("Idempotency-Key", key));
        int status = answer.status();
        if (status == 401) {
            headers.put("WWW-Authenticate", "Basic realm=\"Stripe\"");
        }
        if (status == 409) {
            headers.put("Stripe-Should-Retry", "true");
        } else if (status >= 400 && status < 429) {
            headers.put("Stripe-Should-Retry", "false");
        }
        return new HttpAnswer.Full(status, headers, AnswerJson.render(answer));
    }

    /** The answer of an earlier request with the same key. */
    static HttpAnswer.Full replay(HttpRequest request, String requestId, FrozenAnswer frozen) {
        return answer(request, requestId, frozen.answer())
                .with("Original-Request", frozen.requestId())
                .with("Idempotent-Replayed", "true");
    }
}
