package io.chargeonce.psp.stripe;

import com.stripe.exception.ApiConnectionException;
import com.stripe.exception.ApiException;
import com.stripe.exception.StripeException;
import com.stripe.net.HttpHeaders;
import com.stripe.net.StripeRequest;
import com.stripe.net.StripeResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Carries Stripe's client over {@code java.net.http.HttpClient}. Its default, {@code HttpURLConnection}, silently sends
 * a POST a second time when a connection drops. Each exchange, its body included, ends at the deadline; redirects are
 * not followed; nothing is retried.
 */
final class JdkHttpClient extends com.stripe.net.HttpClient {

    /** Stripe repeats a failure it had frozen under this key: a repeat can never change it, and it was the first answer. */
    static final class FrozenFailure extends ApiException {
        private static final long serialVersionUID = 1;

        FrozenFailure(StripeResponse response) {
            super("Stripe repeats its first answer to this key", response.requestId(), null, response.code(), null);
        }
    }

    private final HttpClient http;
    private final Duration deadline;

    JdkHttpClient(Duration connectTimeout, Duration deadline) {
        this.deadline = deadline;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    @Override
    public StripeResponse request(StripeRequest request) throws StripeException {
        try {
            HttpResponse<String> answer = exchange(toHttp(request));
            var response = new StripeResponse(answer.statusCode(), HttpHeaders.of(answer.headers().map()), answer.body());
            if (response.code() >= 500 && response.headers().firstValue("Idempotent-Replayed").isPresent()) {
                throw new FrozenFailure(response);
            }
            return response;
        } catch (IOException e) {
            throw new ApiConnectionException("no answer from Stripe: " + e, e);
        }
    }

    /** The client's own timeout ends with the headers; this deadline also ends a body that drips. */
    private HttpResponse<String> exchange(HttpRequest request) throws IOException {
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        try {
            return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new HttpTimeoutException("no whole answer within " + deadline);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for Stripe");
        }
    }

    private static HttpRequest toHttp(StripeRequest request) {
        var http = HttpRequest.newBuilder(URI.create(request.url().toString()));
        request.headers().map().forEach((name, values) -> values.forEach(value -> http.header(name, value)));
        http.header("User-Agent", buildUserAgentString(request));
        http.header("X-Stripe-Client-User-Agent", buildXStripeClientUserAgentString());
        var body = request.content() == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(request.content().byteArrayContent());
        if (request.content() != null) {
            http.setHeader("Content-Type", request.content().contentType());
        }
        return http.method(request.method().name(), body).build();
    }
}
