package io.chargeonce.dlq.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.chargeonce.dlq.QueueRows;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchTest {

    private static QueueRows rows;

    @BeforeAll
    static void open() {
        rows = new QueueRows();
    }

    @AfterAll
    static void close() {
        rows.close();
    }

    @BeforeEach
    void clear() {
        rows.clear();
    }

    @Test
    void one_look_shows_arrivals_tiers_breakers_and_open_runs() throws IOException {
        rows.dead(3);
        rows.poison(new byte[] {1});
        rows.text("UPDATE dead_letter SET died_at = now() - interval '5 minutes' WHERE cause = 'undecodable' RETURNING 1");
        String waiting = rows.accepted("acme");
        rows.retry(waiting, 2, "unwell");
        rows.text("UPDATE operation SET not_before = now() - interval '90 seconds' WHERE operation_id = '" + waiting + "' RETURNING 1");
        call("merge", "--all", "--plan");
        HttpServer metrics = metrics("chargeonce_psp_breaker_open{application=\"x\",psp=\"stripe\"} 1.0\n"
                + "chargeonce_psp_breaker_open{application=\"x\",psp=\"adyen\"} 0.0\n");
        try {
            String address = "127.0.0.1:" + metrics.getAddress().getPort();
            Called watch = call("watch", "--metrics", address);
            assertThat(watch.exit()).as(watch.err()).isZero();
            assertThat(watch.out()).contains("4 dead letters", "psp_unwell", "undecodable", "retry-2", "adyen closed · stripe OPEN", "0 of 4 moved");
            assertThat(watch.out()).containsPattern("3 +3 +3  psp_unwell").containsPattern("0 +1 +1  undecodable")
                    .containsPattern("retry-2 +1 +0 +1 +1m");
            var json = call("watch", "--json", "--metrics", address, "--metrics", "127.0.0.1:1").json().getFirst();
            assertThat(json.path("dead").asInt()).isEqualTo(4);
            assertThat(json.path("tiers").get(0).path("overdue").asInt()).isEqualTo(1);
            assertThat(json.path("breakers").path("stripe").asString()).isEqualTo("OPEN");
            assertThat(json.path("breakers").path("127.0.0.1:1").asString()).isEqualTo("unknown, no metrics there");
            assertThat(json.path("runs").get(0).path("items").asInt()).isEqualTo(4);
        } finally {
            metrics.stop(0);
        }
    }

    private static HttpServer metrics(String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static Called call(String... arguments) {
        return Called.of(rows::open, arguments);
    }
}
