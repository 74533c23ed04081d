// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Requests whose answers' headers matter, or that Adyen's own client would never send. */
final class Raw {
    static final String PAYMENT = """
            {"merchantAccount":"ChargeonceECOM","reference":"order-1","amount":{"currency":"EUR","value":100},
             "shopperReference":"shopper-1","paymentMethod":{"type":"scheme","storedPaymentMethodId":"stored_approved"}}
            """;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Raw() {}

    static HttpResponse<String> pay(AdyenSimulator simulator, String body, String key) throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(simulator.apiBase().resolve("/v71/payments"))
                .header("X-API-Key", AdyenSimulatorSettings.API_KEY).header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    static HttpResponse<String> send(AdyenSimulator simulator, String method, String path, String body)
            throws IOException, InterruptedException {
        return CLIENT.send(HttpRequest.newBuilder(simulator.apiBase().resolve(path)).header("X-API-Key", AdyenSimulatorSettings.API_KEY)
                .method(method, HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
