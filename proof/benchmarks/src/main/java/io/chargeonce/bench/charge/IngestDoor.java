// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.charge;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.chargeonce.bench.contestant.Arena;
import io.chargeonce.bench.contestant.Chargeonce;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.tracing.Tracing;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.springframework.jdbc.core.JdbcTemplate;

/** Where payments come in over HTTP, before a contestant's topic. */
interface IngestDoor extends AutoCloseable {

    int port();

    @Override
    void close();

    /** The pipeline's own ingest service. */
    static IngestDoor ours(Arena arena) throws SQLException {
        return ours(arena, arena.plot().pipeline(Chargeonce.TIERS));
    }

    /** @param pipeline how it reaches its database and topics */
    static IngestDoor ours(Arena arena, PipelineSettings pipeline) throws SQLException {
        arena.plot().addMerchant();
        var meters = Meters.of("ingest-service");
        var service = IngestService.start(new IngestSettings(pipeline, new Address("127.0.0.1", 0), 16,
                Duration.ofHours(24)), meters, Tracing.off());
        return new IngestDoor() {
            @Override
            public int port() {
                return service.port();
            }

            @Override
            public void close() {
                service.close();
                meters.close();
            }
        };
    }

    /** The usual one: a row and a commit a request, then the record, then the answer. */
    static IngestDoor usual(Arena arena, Payments payments) {
        return new Usual(arena, payments);
    }

    /** A row and a commit a request, then the record, awaited. */
    final class Usual implements IngestDoor {

        private static final String CREATE = "CREATE TABLE accepted_payment (payment_id text PRIMARY KEY, body text NOT NULL)";
        private static final String ACCEPT = "INSERT INTO accepted_payment (payment_id, body) VALUES (?, ?) ON CONFLICT DO NOTHING";

        private final Arena arena;
        private final Payments payments;
        private final HikariDataSource pool;
        private final JdbcTemplate jdbc;
        private final Producer<byte[], byte[]> producer;
        private final WebServer server;

        Usual(Arena arena, Payments payments) {
            this.arena = arena;
            this.payments = payments;
            var config = new HikariConfig();
            config.setJdbcUrl(arena.plot().jdbcUrl());
            config.setMaximumPoolSize(32);
            this.pool = new HikariDataSource(config);
            this.jdbc = new JdbcTemplate(pool);
            jdbc.execute(CREATE);
            this.producer = Payments.newProducer(arena.plot());
            this.server = WebServer.builder().host("127.0.0.1").port(0).routing(routes -> routes.post("/v1/payments", this::accept)).build()
                    .start();
        }

        private void accept(ServerRequest request, ServerResponse response) throws InterruptedException, ExecutionException {
            int number = Payments.numberOf(request.headers().get(HeaderNames.create("Idempotency-Key")).get());
            jdbc.update(ACCEPT, payments.ids().get(number), request.content().as(String.class));
            producer.send(payments.record(arena.requests(), number)).get();
            response.status(Status.ACCEPTED_202).send();
        }

        @Override
        public int port() {
            return server.port();
        }

        @Override
        public void close() {
            server.stop();
            producer.close();
            pool.close();
        }
    }
}
