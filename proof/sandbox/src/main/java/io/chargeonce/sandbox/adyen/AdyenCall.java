// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.SandboxJson;
import io.chargeonce.sandbox.psp.SandboxCall;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A request by the merchant that names an existing endpoint. {@code target} is the id in its path, or empty. */
record AdyenCall(AdyenOperation operation, String target, String path, JsonNode body, Optional<String> key, Instant at)
        implements
            SandboxCall<AdyenCall> {
    private static final int LONGEST_KEY = 64;

    /** Throws {@link AdyenRefusal} for what is refused before any idempotency: no such path, no such merchant, no JSON. */
    static AdyenCall of(HttpRequest request, Instant at) {
        for (AdyenOperation operation : AdyenOperation.values()) {
            Optional<String> target = operation.route.target(request);
            if (target.isPresent()) {
                return new AdyenCall(operation, target.get(), request.path(), body(request), key(request), at).ofKnownMerchant();
            }
        }
        throw new AdyenRefusal(404, "000", "Not found: " + request.method() + " " + request.path(), "validation");
    }

    private static JsonNode body(HttpRequest request) {
        try {
            JsonNode body = SandboxJson.tree(request.body());
            if (body.isObject()) {
                return body;
            }
        } catch (JacksonException e) {
            // Falls through to the same refusal.
        }
        throw new AdyenRefusal(400, "702", "Unexpected input, expected: {", "validation");
    }

    private static Optional<String> key(HttpRequest request) {
        Optional<String> key = request.header("idempotency-key").filter(text -> !text.isEmpty());
        if (key.isPresent() && key.get().length() > LONGEST_KEY) {
            throw new AdyenRefusal(400, "000", "The idempotency key is longer than " + LONGEST_KEY + " characters", "validation");
        }
        return key;
    }

    private AdyenCall ofKnownMerchant() {
        if (!body.path("merchantAccount").asString("").equals(AdyenSimulatorSettings.MERCHANT_ACCOUNT)) {
            throw new AdyenRefusal(403, "901", "Invalid Merchant Account", "security");
        }
        return this;
    }

    Optional<String> text(String name) {
        return Optional.of(body.path(name).asString("")).filter(text -> !text.isBlank());
    }

    Amount amount() {
        JsonNode amount = body.path("amount");
        if (!amount.isObject()) {
            throw AdyenRefusal.invalid("100", "Required object 'amount' is not provided.");
        }
        if (!amount.path("value").isIntegralNumber() || amount.path("value").asLong() < 1) {
            throw AdyenRefusal.invalid("137", "Invalid amount specified");
        }
        if (!AdyenCurrencies.areKnown(amount.path("currency").asString(""))) {
            throw AdyenRefusal.invalid("138", "Unsupported currency specified");
        }
        return new Amount(amount.path("value").asLong(), amount.path("currency").asString());
    }

    Map<String, String> metadata() {
        Map<String, String> metadata = new TreeMap<>();
        body.path("metadata").properties().forEach(entry -> metadata.put(entry.getKey(), entry.getValue().asString("")));
        return metadata;
    }

    @Override
    public String method() {
        return operation.route.method();
    }

    /**
     * Adyen documents that a key gets the answer to its first request. It documents no comparison of the requests, so the key
     * alone decides.
     */
    @Override
    public Optional<String> fingerprint() {
        return Optional.empty();
    }

    @Override
    public AdyenCall executedAt(Instant later) {
        return new AdyenCall(operation, target, path, body, key, later);
    }
}
