package io.chargeonce.psp.http;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.io.IOException;
import java.io.InterruptedIOException;
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
 * Carries a PSP's own client over {@code java.net.http.HttpClient}: each exchange, its body included, ends at the deadline;
 * an answer of more than {@link #LONGEST_BODY} bytes is an error; redirects are not followed; nothing is sent twice.
 * ({@code HttpURLConnection} silently sends a POST a second time when a connection drops.) Safe for any thread.
 */
public final class BoundedHttp {

    /** Ten times the longest that we ask for, a hundred refunds of one payment. */
    static final int LONGEST_BODY = 1 << 20;

    private final Duration deadline;
    private final HttpClient http;

    /** @param deadline for one exchange, from the first byte of the request to the last of the answer */
    public BoundedHttp(Duration connectTimeout, Duration deadline) {
        this.deadline = deadline;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    /** The whole answer, whatever its status; what {@link WireFailure} makes of an exception is what is known then. */
    public HttpResponse<String> exchange(HttpRequest request) throws IOException {
        // The client's own timeout ends with the headers; this deadline also ends a body that drips.
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(traced(request),
                head -> new BoundedBody<>(HttpResponse.BodyHandlers.ofString().apply(head), LONGEST_BODY));
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
            throw new InterruptedIOException("interrupted while waiting for " + request.uri().getHost());
        }
    }

    /** Names the span that this belongs to, if there is one. */
    private static HttpRequest traced(HttpRequest request) {
        if (!Span.current().getSpanContext().isValid()) {
            return request;
        }
        var traced = HttpRequest.newBuilder(request, (name, value) -> true);
        W3CTraceContextPropagator.getInstance().inject(Context.current(), traced, HttpRequest.Builder::setHeader);
        return traced.build();
    }
}
