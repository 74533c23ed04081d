// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import com.adyen.Client;
import com.adyen.Config;
import com.adyen.constants.ApiConstants;
import com.adyen.httpclient.ClientInterface;
import com.adyen.httpclient.HTTPClientException;
import com.adyen.model.RequestOptions;
import io.chargeonce.psp.http.PspHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The HTTP transport of Adyen's client, over {@link PspHttp}. The client's default transport pools, retries and follows redirects. Any
 * thread.
 */
final class AdyenHttp implements ClientInterface {

    private final PspHttp http;
    private final Supplier<String> apiKey;

    /** @param apiKey the current key; the client itself keeps the one that it was created with */
    AdyenHttp(PspHttp http, Supplier<String> apiKey) {
        this.http = http;
        this.apiKey = apiKey;
    }

    @Override
    public String request(String endpoint, String body, Config config) throws IOException, HTTPClientException {
        return request(endpoint, body, config, true);
    }

    @Override
    public String request(String endpoint, String body, Config config, boolean keyRequired)
            throws IOException, HTTPClientException {
        return request(endpoint, body, config, keyRequired, null);
    }

    @Override
    public String request(String endpoint, String body, Config config, boolean keyRequired, RequestOptions options)
            throws IOException, HTTPClientException {
        return request(endpoint, body, config, keyRequired, options, ApiConstants.HttpMethod.POST);
    }

    @Override
    public String request(String endpoint, String body, Config config, boolean keyRequired, RequestOptions options,
                          ApiConstants.HttpMethod method)
            throws IOException, HTTPClientException {
        return request(endpoint, body, config, keyRequired, options, method, Map.of());
    }

    @Override
    public String request(String endpoint, String body, Config config, boolean keyRequired, RequestOptions options,
                          ApiConstants.HttpMethod method, Map<String, String> query)
            throws IOException, HTTPClientException {
        if (method != ApiConstants.HttpMethod.POST || (query != null && !query.isEmpty())) {
            throw new IllegalArgumentException("Bug! Payments are only ever posted, without a query");
        }
        HttpResponse<String> answer = http.exchange(post(endpoint, body, options));
        if (answer.statusCode() / 100 != 2) {
            throw new HTTPClientException(answer.statusCode(), "HTTP Exception", answer.headers().map(), answer.body());
        }
        return answer.body();
    }

    private HttpRequest post(String endpoint, String body, RequestOptions options) {
        var request = HttpRequest.newBuilder(URI.create(endpoint))
                .header("Content-Type", "application/json")
                .header("X-API-Key", apiKey.get())
                .header("User-Agent", Client.LIB_NAME + "/" + Client.LIB_VERSION)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (options != null && options.getIdempotencyKey() != null) {
            request.header("Idempotency-Key", options.getIdempotencyKey());
        }
        return request.build();
    }
}
