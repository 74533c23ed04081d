// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Accepts test-mode secret keys, as a bearer token or as the user of basic authentication: any, or only one, as if all others had
 * been revoked. Two kinds are not the owner's: that of another account ({@code sk_test_stranger…}), and a restricted one without
 * permissions ({@code rk_test_unpermitted…}). Immutable; any thread.
 */
final class Credentials {
    /** Which account's objects a key opens. */
    enum Account { OURS, OF_ANOTHER_ACCOUNT }

    private final Optional<String> only;

    /** @param only the one secret key of this account that is valid */
    Credentials(Optional<String> only) {
        this.only = only;
    }

    /** Throws {@link StripeRefusal} for a key that opens none. */
    Account check(HttpRequest request) {
        Optional<String> apiKey = request.header("authorization").flatMap(Credentials::apiKey);
        if (apiKey.isEmpty()) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(401, "You did not provide an API key. You need to provide "
                    + "your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."));
        }
        String value = apiKey.get();
        if (value.startsWith("sk_test_stranger")) {
            return Account.OF_ANOTHER_ACCOUNT;
        }
        if (!value.matches("[sr]k_test_\\w+") || only.filter(key -> !key.equals(value)).isPresent()) {
            String shown = value.length() < 12 ? "****" : value.substring(0, 8) + "****" + value.substring(value.length() - 4);
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(401, "Invalid API Key provided: " + shown));
        }
        if (value.startsWith("rk_test_unpermitted")) {
            throw StripeRefusal.beforeExecution(ApiError.invalidRequest(403, "The provided key 'rk_test_****' does not have the required "
                    + "permissions for this endpoint."));
        }
        return Account.OURS;
    }

    private static Optional<String> apiKey(String header) {
        if (header.startsWith("Bearer ")) {
            return Optional.of(header.substring(7).strip());
        }
        if (!header.startsWith("Basic ")) {
            return Optional.empty();
        }
        try {
            byte[] decoded = Base64.getDecoder().decode(header.substring(6).strip());
            return Optional.of(new String(decoded, StandardCharsets.ISO_8859_1).split(":", 2)[0]);
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }
}
