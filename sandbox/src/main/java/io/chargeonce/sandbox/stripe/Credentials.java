package io.chargeonce.sandbox.stripe;

import io.chargeonce.sandbox.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Accepts test-mode secret keys, as a bearer token or as the user of basic authentication: any, or one account's. Then another
 * account's key finds none of this one's objects (404) and may make none (403), and a key that was rolled is refused (401). Immutable.
 */
final class Credentials {

    /** What keys of another account begin with. */
    private static final String ELSEWHERE = "sk_test_elsewhere";

    private final Optional<String> account;

    /** @param account the only secret key that may do anything */
    Credentials(Optional<String> account) {
        this.account = account;
    }

    void check(HttpRequest request) {
        Optional<String> apiKey = request.header("authorization").flatMap(Credentials::apiKey);
        if (apiKey.isEmpty()) {
            throw Refusal.beforeExecution(ApiError.invalidRequest(401, "You did not provide an API key. You need to provide "
                    + "your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."));
        }
        String value = apiKey.get();
        if (account.isPresent() && value.startsWith(ELSEWHERE)) {
            throw Refusal.beforeExecution(elsewhere(request));
        }
        if (!value.matches("[sr]k_test_\\w+") || account.filter(only -> !only.equals(value)).isPresent()) {
            String shown = value.length() < 12 ? "****" : value.substring(0, 8) + "****" + value.substring(value.length() - 4);
            throw Refusal.beforeExecution(ApiError.invalidRequest(401, "Invalid API Key provided: " + shown));
        }
    }

    private static ApiError elsewhere(HttpRequest request) {
        return request.method().equals("POST") && request.path().matches("/v1/\\w+")
                ? ApiError.invalidRequest(403, "Your account cannot currently make live charges.")
                : ApiError.invalidRequest(404, "No such object in this account: '" + request.path() + "'").code("resource_missing");
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
