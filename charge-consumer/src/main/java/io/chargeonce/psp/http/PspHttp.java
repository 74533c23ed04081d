// SPDX-License-Identifier: Apache-2.0
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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The HTTP transport of the PSPs' clients, over {@code java.net.http.HttpClient}: each exchange, including its body, ends at the deadline;
 * an answer of more than {@link #LONGEST_BODY} bytes is an error; redirects are not followed; nothing is sent twice. ({@code
 * HttpURLConnection} silently sends a POST a second time when a connection drops.) Any thread.
 */
public final class PspHttp {

    /** Ten times the longest expected answer, a hundred refunds of one payment. */
    static final int LONGEST_BODY = 1 << 20;

    private final Duration deadline;
    private final HttpClient http;

    /** @param deadline for one exchange, from the first byte of the request to the last of the answer */
    public PspHttp(Duration connectTimeout, Duration deadline) {
        this(connectTimeout, deadline, HttpClient.newBuilder());
    }

    /** @param http with a test's trusted certificates */
    PspHttp(Duration connectTimeout, Duration deadline, HttpClient.Builder http) {
        this.deadline = deadline;
        this.http = http
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    /** The deadline has passed. Whether the request was executed is not known. */
    private static final class NoWholeAnswer extends HttpTimeoutException {

        private static final long serialVersionUID = 1;

        NoWholeAnswer(Duration deadline) {
            super("no whole answer within %s".formatted(deadline.toMillisPart() == 0 ? deadline.toSeconds() + " s"
                    : deadline.toMillis() + " ms"));
        }
    }

    /** Why there is no answer, for people. */
    public static String words(String psp, IOException e) {
        return e instanceof NoWholeAnswer late ? "%s gave %s".formatted(psp, late.getMessage()) : "no answer from %s: %s".formatted(psp, e);
    }

    /** The whole answer, with any status. {@link WireFailure} says what an exception proves. */
    public HttpResponse<String> exchange(HttpRequest request) throws IOException {
        var body = request.bodyPublisher().map(SentBody::new);
        // The client's own timeout covers only the headers; this deadline also ends a body that drips.
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(prepared(request, body),
                head -> new BoundedBody<>(HttpResponse.BodyHandlers.ofString().apply(head), LONGEST_BODY));
        try {
            return answer.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new NoWholeAnswer(deadline);
        } catch (ExecutionException e) {
            // With TLS 1.3 a server may refuse the handshake when it already has the request: then the request was sent all the same.
            boolean mayHaveLeft = body.map(SentBody::isRequested).orElse(false) && WireFailure.notSent(e.getCause()).isPresent();
            throw e.getCause() instanceof IOException io && !mayHaveLeft ? io
                    : new IOException("after the connection was established: " + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + request.uri().getHost());
        }
    }

    /** Adds the current span's trace context, if there is one. */
    private static HttpRequest prepared(HttpRequest request, Optional<SentBody> body) {
        boolean traced = Span.current().getSpanContext().isValid();
        if (!traced && body.isEmpty()) {
            return request;
        }
        var prepared = HttpRequest.newBuilder(request, (name, value) -> true);
        body.ifPresent(sent -> prepared.method(request.method(), sent));
        if (traced) {
            W3CTraceContextPropagator.getInstance().inject(Context.current(), prepared, HttpRequest.Builder::setHeader);
        }
        return prepared.build();
    }

    /** A body that records whether it was requested. The client requests it once the connection and its TLS handshake are complete. */
    private static final class SentBody implements HttpRequest.BodyPublisher {

        private final HttpRequest.BodyPublisher body;
        private volatile boolean requested;

        SentBody(HttpRequest.BodyPublisher body) {
            this.body = body;
        }

        boolean isRequested() {
            return requested;
        }

        @Override
        public long contentLength() {
            return body.contentLength();
        }

        @Override
        public void subscribe(Flow.Subscriber<? super ByteBuffer> client) {
            requested = true;
            body.subscribe(client);
        }
    }
}
