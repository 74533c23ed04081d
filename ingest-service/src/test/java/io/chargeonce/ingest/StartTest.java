// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.StartFailed;
import io.chargeonce.sandbox.TestStack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StartTest {

    @Test
    void an_occupied_port_is_said_in_one_line() throws IOException {
        try (var occupant = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")); var meters = Meters.of("test")) {
            var settings = new IngestSettings(IngestWorld.pipeline("jdbc:postgresql://127.0.0.1:1/x", "127.0.0.1:1", "payments",
                    Optional.empty()), new Address("127.0.0.1", occupant.getLocalPort()), 12, Duration.ofHours(24));

            assertThatThrownBy(() -> IngestService.start(settings, meters)).isInstanceOf(StartFailed.class)
                    .hasMessageContaining("127.0.0.1:" + occupant.getLocalPort()).hasMessageContaining("another address")
                    .message().hasLineCount(1);
        }
    }

    @Test
    void it_is_ready_while_postgres_answers_and_shows_its_metrics() throws Exception {
        String url = TestStack.newDatabase();
        IngestWorld.prepare(url);
        int adminPort = freePort();
        var settings = new IngestSettings(IngestWorld.pipeline(url, TestStack.kafka().bootstrapServers(), "payments",
                Optional.of(new Address("127.0.0.1", adminPort))), new Address("127.0.0.1", 0), 12, Duration.ofHours(24));
        try (var meters = Meters.of("test"); var service = IngestService.start(settings, meters); var client = HttpClient.newHttpClient()) {
            get(client, service.port(), "/v1/payments/pay_unknown");
            assertThat(get(client, adminPort, "/health/ready").statusCode()).isEqualTo(200);
            assertThat(get(client, adminPort, "/health/ready").body()).contains("\"intake\"");
            assertThat(get(client, adminPort, "/health/live").body()).contains("\"intake\"");
            assertThat(get(client, adminPort, "/metrics").body()).contains("chargeonce_ingest_requests_seconds_count{");
            IngestWorld.execute(url, "DROP SCHEMA chargeonce CASCADE");
            assertThat(get(client, adminPort, "/health/ready").statusCode()).isEqualTo(503);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private static HttpResponse<String> get(HttpClient client, int port, String path) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
