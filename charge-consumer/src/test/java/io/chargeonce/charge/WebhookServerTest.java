// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import io.chargeonce.charge.webhook.WebhookServer;
import io.chargeonce.runtime.Address;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** It is on the internet, so not only PSPs send requests. */
class WebhookServerTest {

    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofHours(1);
    private static final SimpleMeterRegistry METERS = new SimpleMeterRegistry();
    private static final int MORE_REQUESTS_THAN_MAY_ARRIVE = 510;
    private static final int MORE_CONNECTIONS_THAN_ARE_HELD = 1_100;

    private static EngineFixture books;
    private final List<Socket> held = new ArrayList<>();

    @BeforeAll
    static void openBooks() {
        books = new EngineFixture();
    }

    @AfterAll
    static void closeBooks() throws Exception {
        books.close();
    }

    @AfterEach
    void letGo() throws IOException {
        for (Socket socket : held) {
            socket.close();
        }
    }

    private static WebhookServer start(Duration toArrive) {
        return WebhookServer.startWithPatience(new Address("127.0.0.1", 0), books.process(new FakePsp()).inbox, toArrive, METERS);
    }

    private Socket send(WebhookServer server, String text) throws IOException {
        var socket = new Socket("127.0.0.1", server.port());
        held.add(socket);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Test
    void bodies_that_never_come_keep_no_webhook_out() throws Exception {
        try (var server = start(LONG)) {
            for (int i = 0; i < MORE_REQUESTS_THAN_MAY_ARRIVE; i++) {
                send(server, "POST /v1/webhooks/fake HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n");
            }
            assertThat(status(server)).isEqualTo(401);
            Waiting.until(() -> refused("too_many_arrive") > 0);
        }
    }

    @Test
    void it_knows_whether_it_answers_although_others_keep_all_its_places() throws Exception {
        WebhookServer server = start(LONG);
        try (server) {
            assertThat(server.problem()).isEmpty();
            for (int i = 0; i < MORE_REQUESTS_THAN_MAY_ARRIVE; i++) {
                send(server, "POST /v1/webhooks/fake HTTP/1.1\r\nX-Slow: ");
            }
            Waiting.until(() -> server.problem().isEmpty());
        }
        // A stopped server has no address any more; another one may listen there.
        assertThat(server.problem()).hasValueSatisfying(why -> assertThat(why).contains("the server for webhooks of PSPs"));
    }

    @Test
    void a_body_that_comes_a_byte_at_a_time_is_not_waited_for() throws Exception {
        try (var server = start(SHORT)) {
            Socket slow = send(server, "POST /v1/webhooks/fake HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
            Waiting.until(() -> isClosedAfterOneMoreByte(slow));
            assertThat(refused("too_slow")).isPositive();
        }
    }

    private static double refused(String reason) {
        return METERS.counter("chargeonce.door.refused", "door", "webhooks", "reason", reason).count();
    }

    @Test
    void a_head_that_comes_a_byte_at_a_time_is_not_waited_for() throws Exception {
        try (var server = start(SHORT)) {
            Socket slow = send(server, "POST /v1/webhooks/fake HTTP/1.1\r\nX-Slow: ");
            Waiting.until(() -> isClosedAfterOneMoreByte(slow));
            assertThat(status(server)).isEqualTo(401);
        }
    }

    @Test
    void when_too_many_heads_are_slow_the_slowest_gives_way_and_a_webhook_is_taken() throws Exception {
        try (var server = start(LONG)) {
            Socket slowest = send(server, "POST /v1/webhooks/fake HTTP/1.1\r\nX-Slow: ");
            for (int i = 1; i < MORE_REQUESTS_THAN_MAY_ARRIVE; i++) {
                send(server, "POST /v1/web");
            }
            Waiting.until(() -> isClosedAfterOneMoreByte(slowest));
            assertThat(status(server)).isEqualTo(401);
        }
    }

    @Tag("proof")
    @Test
    void silent_connections_do_not_take_all_sockets() throws Exception {
        try (var server = start(LONG)) {
            for (int i = 0; i < MORE_CONNECTIONS_THAN_ARE_HELD; i++) {
                send(server, "");
            }
            Waiting.until(() -> isClosedAfterOneMoreByte(held.getLast()));
        }
    }

    private static boolean isClosedAfterOneMoreByte(Socket socket) {
        try {
            socket.getOutputStream().write('x');
            return false;
        } catch (IOException closed) {
            return true;
        }
    }

    private static int status(WebhookServer server) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/v1/webhooks/fake"))
                    .POST(BodyPublishers.ofString("{}")).build(), BodyHandlers.discarding()).statusCode();
        }
    }
}
