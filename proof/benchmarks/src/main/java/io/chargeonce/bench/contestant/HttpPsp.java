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

/** The stub behind a real HTTP server on this machine, and the JDK's client in front of it. Any thread. */
public final class HttpPsp implements BenchPsp, AutoCloseable {

    private static final HeaderName KEY = HeaderNames.create("Idempotency-Key");

    private final WebServer server;
    private final URI charges;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    public HttpPsp(StubPsp stub) {
        this.server = WebServer.builder().host("127.0.0.1").port(0).routing(routes -> routes.post("/charges",
                (request, response) -> response.send(stub.charge(request.headers().get(KEY).get(), request.content().as(String.class)))))
                .build().start();
        this.charges = URI.create("http://127.0.0.1:" + server.port() + "/charges");
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
        server.stop();
    }
}
