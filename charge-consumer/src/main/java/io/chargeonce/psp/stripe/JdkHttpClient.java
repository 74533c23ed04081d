// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.exception.ApiConnectionException;
import com.stripe.exception.ApiException;
import com.stripe.exception.StripeException;
import com.stripe.net.HttpHeaders;
import com.stripe.net.StripeRequest;
import com.stripe.net.StripeResponse;
import io.chargeonce.psp.http.PspHttp;
import io.chargeonce.text.RetryAfterHeader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP transport of Stripe's client, over {@link PspHttp}. The client's default transport repeats requests. */
final class JdkHttpClient extends com.stripe.net.HttpClient {

    /** Stripe repeats a failure that it had frozen under this key: a repeat never changes it, and it was the first answer. */
    static final class FrozenFailure extends ApiException {
        private static final long serialVersionUID = 1;

        FrozenFailure(StripeResponse response) {
            super("Stripe repeats its first answer to this key", response.requestId(), null, response.code(), null);
        }
    }

    /** Stripe refuses this and asks us to wait. */
    static final class TooMany extends ApiException {
        private static final long serialVersionUID = 1;
        private final Duration retryAfter;

        TooMany(StripeResponse response, Duration retryAfter) {
            super("Stripe asks us to wait %d s".formatted(retryAfter.toSeconds()), response.requestId(), null,
                    response.code(), null);
            this.retryAfter = retryAfter;
        }

        Duration retryAfter() {
            return retryAfter;
        }
    }

    /** Stripe's code for an object that another request has locked. */
    static final String LOCK_TIMEOUT = "lock_timeout";
    private static final JsonMapper JSON = new JsonMapper();
    /**
     * Created once, on the thread that starts the service, because it reads a jar. Virtual threads that wait for a jar while others load
     * classes from it can deadlock: a thread that loads a class keeps its carrier.
     */
    private static final String ABOUT_THIS_CLIENT = buildXStripeClientUserAgentString();

    private final PspHttp http;
    private final Supplier<String> apiKey;

    /** @param apiKey the current key; the client itself keeps the one that it was created with */
    JdkHttpClient(Duration connectTimeout, Duration deadline, Supplier<String> apiKey) {
        this.apiKey = apiKey;
        this.http = new PspHttp(connectTimeout, deadline);
    }

    @Override
    public StripeResponse request(StripeRequest request) throws StripeException {
        try {
            HttpResponse<String> answer = http.exchange(toHttp(request));
            var response = new StripeResponse(answer.statusCode(), HttpHeaders.of(answer.headers().map()), answer.body());
            if (response.code() >= 500 && response.headers().firstValue("Idempotent-Replayed").isPresent()) {
                throw new FrozenFailure(response);
            }
            Optional<Duration> retryAfter = response.code() == 429 && !isLockTimeout(response)
                    ? RetryAfterHeader.in(response.headers().map()) : Optional.empty();
            if (retryAfter.isPresent()) {
                throw new TooMany(response, retryAfter.get());
            }
            if (!isReadable(response)) {
                throw new ApiException("the answer is not from Stripe", response.requestId(), null, response.code(), null);
            }
            return response;
        } catch (IOException e) {
            throw new ApiConnectionException(PspHttp.words("Stripe", e), e);
        }
    }

    private static boolean isLockTimeout(StripeResponse response) {
        try {
            return LOCK_TIMEOUT.equals(JSON.readTree(response.body()).path("error").path("code").asString(""));
        } catch (JacksonException notJson) {
            return false;
        }
    }

    /** Stripe's client fails on an error response without an error object, such as a proxy's, and on an answer that is no JSON object. */
    private static boolean isReadable(StripeResponse response) {
        if (response.code() / 100 == 2) {
            return response.body().stripLeading().startsWith("{");
        }
        try {
            return JSON.readTree(response.body()).path("error").isObject();
        } catch (JacksonException notJson) {
            return false;
        }
    }

    private HttpRequest toHttp(StripeRequest request) {
        var http = HttpRequest.newBuilder(URI.create(request.url().toString()));
        request.headers().map().forEach((name, values) -> values.forEach(value -> http.header(name, value)));
        http.setHeader("Authorization", "Bearer " + apiKey.get());
        http.header("User-Agent", buildUserAgentString(request));
        http.header("X-Stripe-Client-User-Agent", ABOUT_THIS_CLIENT);
        var body = request.content() == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(request.content().byteArrayContent());
        if (request.content() != null) {
            http.setHeader("Content-Type", request.content().contentType());
        }
        return http.method(request.method().name(), body).build();
    }
}
