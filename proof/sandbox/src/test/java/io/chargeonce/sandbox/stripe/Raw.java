// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Requests that Stripe's own client would never send. */
final class Raw {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Raw() {}

    static HttpResponse<String> send(StripeSimulator simulator, String method, String path, String body)
            throws IOException, InterruptedException {
        return send(simulator, method, path, body, "Bearer sk_test_raw");
    }

    static HttpResponse<String> send(StripeSimulator simulator, String method, String path, String body, String authorization)
            throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(simulator.apiBase().resolve(path)).header("Authorization", authorization)
                .method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
