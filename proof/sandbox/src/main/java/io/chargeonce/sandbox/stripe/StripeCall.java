// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpRequest;
import io.chargeonce.sandbox.psp.SandboxCall;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/** A request that names an existing endpoint. {@code target} is the id in its path, or empty. */
record StripeCall(StripeOperation operation, String target, String path, Form form, Optional<String> key,
        Instant at) implements SandboxCall<StripeCall> {
    private static final int LONGEST_KEY = 255;

    static StripeCall of(HttpRequest request, Instant at) {
        for (StripeOperation operation : StripeOperation.values()) {
            Optional<String> target = operation.route.target(request);
            if (target.isPresent()) {
                return new StripeCall(operation, target.get(), request.path(), known(operation, form(operation, request)),
                        operation.writes() ? key(request) : Optional.empty(), at);
            }
        }
        throw StripeRefusal.beforeExecution(ApiError.invalidRequest(404, "Unrecognized request URL (" + request.method() + ": "
                + request.path() + "). Please see https://stripe.com/docs or we can help at https://support.stripe.com/."));
    }

    private static Form form(StripeOperation operation, HttpRequest request) {
        return Form.parse(operation.writes() ? new String(request.body(), StandardCharsets.UTF_8) : request.query());
    }

    private static Optional<String> key(HttpRequest request) {
        Optional<String> key = request.header("idempotency-key").filter(text -> !text.isEmpty());
        if (key.isPresent() && key.get().length() > LONGEST_KEY) {
            throw StripeRefusal.beforeExecution(ApiError.of(400, "idempotency_error",
                    "Idempotency keys must be at most " + LONGEST_KEY + " characters long"));
        }
        return key;
    }

    private static Form known(StripeOperation operation, Form form) {
        for (String field : form.fields().keySet()) {
            String name = Form.topLevel(field);
            if (!operation.parameters.contains(name)) {
                throw StripeRefusal.beforeExecution(ApiError.invalidRequest(400, "Received unknown parameter: " + name)
                        .code("parameter_unknown").param(name));
            }
        }
        return form;
    }

    @Override
    public StripeCall executedAt(Instant later) {
        return new StripeCall(operation, target, path, form, key, later);
    }

    @Override
    public String method() {
        return operation.route.method();
    }

    @Override
    public Optional<String> fingerprint() {
        return Optional.of(form.fingerprint(path));
    }
}
