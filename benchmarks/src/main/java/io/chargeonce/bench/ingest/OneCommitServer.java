// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.ingest;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.chargeonce.bench.measure.Ground;
import io.chargeonce.wire.PaymentJson;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.sql.SQLException;
import java.util.List;

/** The usual server: each request one transaction of its own, on the same HTTP server, with the same rows. */
final class OneCommitServer implements AutoCloseable {

    private static final int CONNECTIONS = 32;

    private final HikariDataSource pool;
    private final String topic;
    private final WebServer server;

    private OneCommitServer(Ground.Plot plot) {
        var config = new HikariConfig();
        config.setJdbcUrl(plot.jdbcUrl());
        config.setSchema("chargeonce");
        config.setMaximumPoolSize(CONNECTIONS);
        this.pool = new HikariDataSource(config);
        this.topic = plot.topics().requests();
        this.server =
                WebServer.builder().host("127.0.0.1").port(0).routing(routes -> routes.post("/v1/payments", this::accept)).build().start();
    }

    static OneCommitServer start(Ground.Plot plot) {
        return new OneCommitServer(plot);
    }

    int port() {
        return server.port();
    }

    private void accept(ServerRequest request, ServerResponse response) throws SQLException {
        PaymentJson.MAPPER.readTree(request.content().as(byte[].class));
        var payment = IngestRows.Payment.of(request.headers().get(HeaderNames.create("Idempotency-Key")).get());
        // One statement, so one round trip and one commit.
        try (var connection = pool.getConnection()) {
            IngestRows.insert(connection, topic, List.of(payment));
        }
        response.status(Status.ACCEPTED_202).send(payment.answer());
    }

    @Override
    public void close() {
        server.stop();
        pool.close();
    }
}
