// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.util.Optional;

/** The {@code error} object of Stripe's answers; fields that do not apply are left out. */
public record ApiError(int status, String type, Optional<String> code, String message, Optional<String> param,
        Optional<Decline> decline, Optional<String> charge, Optional<String> paymentMethod) {

    /** What a card's issuer said. */
    public record Decline(Optional<String> declineCode, Optional<String> adviceCode, Optional<String> networkDeclineCode) {}

    static ApiError of(int status, String type, String message) {
        return new ApiError(status, type, Optional.empty(), message, Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
    }

    static ApiError invalidRequest(int status, String message) {
        return of(status, "invalid_request_error", message);
    }

    ApiError code(String value) {
        return new ApiError(status, type, Optional.of(value), message, param, decline, charge, paymentMethod);
    }

    ApiError param(String value) {
        return new ApiError(status, type, code, message, Optional.of(value), decline, charge, paymentMethod);
    }

    ApiError declined(Decline value) {
        return new ApiError(status, type, code, message, param, Optional.of(value), charge, paymentMethod);
    }

    ApiError onCharge(Optional<String> id, String method) {
        return new ApiError(status, type, code, message, param, decline, id, Optional.of(method));
    }

    Optional<String> docUrl() {
        return code.map(name -> "https://stripe.com/docs/error-codes/" + name.replace('_', '-'));
    }
}
