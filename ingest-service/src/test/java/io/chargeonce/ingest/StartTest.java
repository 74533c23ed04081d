package io.chargeonce.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.database.Database;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.StartFailed;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StartTest {

    @Test
    void an_occupied_port_is_said_in_one_line() throws IOException {
        try (var occupant = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")); var meters = Meters.of("test")) {
            var settings = new IngestSettings(new Address("127.0.0.1", occupant.getLocalPort()), "jdbc:postgresql://127.0.0.1:1/x",
                    "postgres", Optional.empty(), 12, new KafkaConnection("127.0.0.1:1", Map.of()), new Topics("payments"),
                    Duration.ofHours(24), Optional.empty());

            assertThatThrownBy(() -> IngestService.start(settings, meters.registry())).isInstanceOf(StartFailed.class)
                    .hasMessageContaining("127.0.0.1:" + occupant.getLocalPort()).hasMessageContaining("another address")
                    .message().hasLineCount(1);
        }
    }

    @Test
    void it_is_ready_while_postgres_answers_and_shows_its_metrics() throws Exception {
        String url = TestStack.newDatabase();
        IngestWorld.prepare(url);
        try (var meters = Meters.of("test"); var client = HttpClient.newHttpClient();
             var database = Database.open(url, "postgres", "", 1)) {
            new IngestMeters(meters.registry()).timed("read", () -> Problems.notFound().answer());
            try (var admin = IngestAdmin.start(new Address("127.0.0.1", 0), database, meters.registry())) {
                assertThat(get(client, admin.port(), "/health/ready").statusCode()).isEqualTo(200);
                assertThat(get(client, admin.port(), "/metrics").body())
                        .contains("chargeonce_ingest_requests_seconds_count{outcome=\"not-found\",route=\"read\"");
                IngestWorld.execute(url, "DROP SCHEMA chargeonce CASCADE");
                assertThat(get(client, admin.port(), "/health/ready").statusCode()).isEqualTo(503);
            }
        }
    }

    private static HttpResponse<String> get(HttpClient client, int port, String path) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
