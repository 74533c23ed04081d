// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLSession;

/** One exchange over HTTP that never leaves the universe. */
record Exchanged(HttpRequest request, SimulatedPsp.Reply reply) implements HttpResponse<String> {

    static HttpResponse<String> with(HttpRequest request) throws IOException {
        URI uri = request.uri();
        String path = uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        var asked = new SimulatedPsp.Request(request.method(), path,
                request.headers().firstValue("Idempotency-Key").filter(key -> mayMove(request)),
                body(request), credential(request));
        return new Exchanged(request, Cluster.psp(uri.getHost()).exchange(asked, SimulatedGateways.PATIENCE));
    }

    /** Stripe's client gives every POST a key of its own making. */
    private static boolean mayMove(HttpRequest request) {
        return request.method().equals("POST") && !request.uri().getPath().endsWith("/cancel");
    }

    private static String credential(HttpRequest request) {
        return request.headers().firstValue("X-API-Key")
                .orElseGet(() -> request.headers().firstValue("Authorization").orElse("").replaceFirst("^Bearer ", ""));
    }

    private static String body(HttpRequest request) {
        var read = new Body();
        request.bodyPublisher().ifPresent(publisher -> publisher.subscribe(read));
        return read.text.toString();
    }

    /** For a publisher that has everything at once. */
    private static final class Body implements Flow.Subscriber<ByteBuffer> {

        final StringBuilder text = new StringBuilder();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(ByteBuffer part) {
            text.append(StandardCharsets.UTF_8.decode(part));
        }

        @Override
        public void onError(Throwable failure) {
            throw new IllegalStateException("Bug! A request's body cannot be read", failure);
        }

        @Override
        public void onComplete() {
            // All of it is there.
        }
    }

    @Override
    public int statusCode() {
        return reply.status();
    }

    @Override
    public Optional<HttpResponse<String>> previousResponse() {
        return Optional.empty();
    }

    @Override
    public HttpHeaders headers() {
        var headers = new LinkedHashMap<String, List<String>>();
        reply.headers().forEach((name, value) -> headers.put(name, List.of(value)));
        return HttpHeaders.of(Map.copyOf(headers), (name, value) -> true);
    }

    @Override
    public String body() {
        return reply.body();
    }

    @Override
    public Optional<SSLSession> sslSession() {
        return Optional.empty();
    }

    @Override
    public URI uri() {
        return request.uri();
    }

    @Override
    public HttpClient.Version version() {
        return HttpClient.Version.HTTP_1_1;
    }
}
