package io.chargeonce.charge;

import io.chargeonce.runtime.Address;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** It stands on the internet, so what comes is not only from PSPs. */
class WebhookServerTest {

    /** Long enough to see that all places are taken. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final int MORE_THAN_THERE_ARE_PLACES = 120;

    @Test
    void bodies_that_never_come_keep_no_webhook_out_for_long() throws Exception {
        var held = new ArrayList<Socket>();
        try (var books = new Books(); var server = WebhookServer.startWithPatience(
                new Address("127.0.0.1", 0), books.process(new FakePsp()).inbox, PATIENCE)) {
            for (int i = 0; i < MORE_THAN_THERE_ARE_PLACES; i++) {
                var socket = new Socket("127.0.0.1", server.port());
                socket.getOutputStream().write("POST /v1/webhooks/fake HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
                held.add(socket);
            }
            Waiting.until(() -> status(server) == 503);
            Waiting.until(() -> status(server) == 401);
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    private static int status(WebhookServer server) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/webhooks/fake"))
                    .POST(BodyPublishers.ofString("{}")).build(), BodyHandlers.discarding()).statusCode();
        }
    }
}
