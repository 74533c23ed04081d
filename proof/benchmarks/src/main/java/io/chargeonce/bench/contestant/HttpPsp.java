// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.contestant;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** The JDK's client in front of the stub, which is behind a real HTTP server on this machine. Any thread. */
public final class HttpPsp implements BenchPsp, AutoCloseable {

    private static final HeaderName KEY = HeaderNames.create("Idempotency-Key");

    private final URI charges;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** @param port of the {@link #serve server} */
    public HttpPsp(int port) {
        this.charges = URI.create("http://127.0.0.1:" + port + "/charges");
    }

    /** The server, on a port of its own. */
    public static WebServer serve(StubPsp stub) {
        return WebServer.builder().host("127.0.0.1").port(0).routing(routes -> routes.post("/charges",
                (request, response) -> response.send(stub.charge(request.headers().get(KEY).get(), request.content().as(String.class)))))
                .build().start();
    }

    @Override
    public String charge(String key, String payment) {
        var request =
                HttpRequest.newBuilder(charges).header("Idempotency-Key", key).POST(HttpRequest.BodyPublishers.ofString(payment)).build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("the stub did not answer", e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
