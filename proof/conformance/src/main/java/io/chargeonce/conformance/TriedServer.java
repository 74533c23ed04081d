// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.conformance;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/**
 * The server to be tried: one endpoint that makes something under an Idempotency-Key.
 *
 * @param endpoint       takes POST
 * @param otherToken     of another tenant, if there is one to try with
 * @param otherEndpoint  takes POST with {@code {}}; {@code {location}} in it stands for what the first request made; if there is
 *                       one to try with
 * @param body           a request that is accepted; {@code {unique}} in it stands for a text that is new in each trial
 * @param mismatchStatus what the server says to a key that comes with another request: 422 in the IETF's draft, 409 elsewhere
 */
public record TriedServer(URI endpoint, String token, Optional<String> otherToken, Optional<String> otherEndpoint,
        String body, int mismatchStatus) {

    /** A payment as Chargeonce takes it. */
    public static final String PAYMENT = "{\"amount\": 1299, \"currency\": \"EUR\", \"payment_method\": \"pm_card_visa\", "
            + "\"reference\": \"conformance-{unique}\"}";
    private static final String PAYMENTS = "/v1/payments";
    private static final String REFUNDS = "{location}/refunds";

    /** An address without a path is taken for a Chargeonce server's. */
    public TriedServer {
        if (endpoint.getHost() == null || !String.valueOf(endpoint.getScheme()).matches("https?")) {
            throw noAddress(endpoint.toString());
        }
        if (endpoint.getPath().isEmpty() || endpoint.getPath().equals("/")) {
            endpoint = endpoint.resolve(PAYMENTS);
            otherEndpoint = otherEndpoint.or(() -> Optional.of(REFUNDS));
        }
        if (mismatchStatus != 409 && mismatchStatus != 422) {
            throw new IllegalArgumentException("a key that comes with another request is answered with 409 or 422");
        }
    }

    /** Whether it is taken for a Chargeonce server: its address has no path. */
    boolean isChargeonce() {
        return endpoint.getPath().equals(PAYMENTS) && otherEndpoint.equals(Optional.of(REFUNDS));
    }

    /** @throws IllegalArgumentException if it is no URL */
    static URI endpoint(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw noAddress(text);
        }
    }

    private static IllegalArgumentException noAddress(String text) {
        return new IllegalArgumentException(
                "'%s' is not an http or https URL: write, for example, http://127.0.0.1:8080/v1/payments".formatted(text));
    }

    /** Without the tokens. */
    @Override
    public String toString() {
        return "Target[" + endpoint + "]";
    }
}
