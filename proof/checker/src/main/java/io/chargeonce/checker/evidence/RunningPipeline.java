// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Postgres, Kafka and simulators of PSPs by their addresses. */
record RunningPipeline(CheckEvidence evidence) implements Sources {

    /** A check reads all there is, and ends when its caller does. */
    private static final String LIMITS = "SET statement_timeout = '10min'; SET client_connection_check_interval = '5s'";

    @Override
    public Connection database() throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", evidence.user());
        properties.setProperty("password", evidence.password());
        properties.setProperty("currentSchema", "chargeonce,public");
        properties.setProperty("connectTimeout", "10");
        Connection connection = DriverManager.getConnection(evidence.jdbcUrl(), properties);
        try (var statement = connection.createStatement()) {
            statement.execute(LIMITS);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public TopicNames topics() {
        return new TopicReading(evidence);
    }

    @Override
    public void eachMovement(BiConsumer<String, JsonNode> action) {
        evidence.psps().forEach(psp -> new ServedLedger(psp).movements(movement -> action.accept(psp.toString(), movement)));
    }

    @Override
    public void eachDispute(Consumer<JsonNode> action) {
        evidence.psps().forEach(psp -> new ServedLedger(psp).disputes(action));
    }

    @Override
    public String metrics(URI service) {
        return Metrics.of(service);
    }

    @Override
    public void eachRequest(Consumer<JsonNode> action) {
        evidence.psps().forEach(psp -> new ServedLedger(psp).requests(action));
    }

    /** Reads one PSP simulator's ledger of money that moved, its disputes, and its log of requests: oldest first, page by page. */
    private static final class ServedLedger {

        private static final int LINES_PER_PAGE = 5_000;
        private static final Duration PATIENCE = Duration.ofSeconds(30);
        private static final JsonMapper JSON = new JsonMapper();

        private final URI psp;

        ServedLedger(URI psp) {
            this.psp = psp;
        }

        void movements(Consumer<JsonNode> action) {
            each("movements", action);
        }

        void requests(Consumer<JsonNode> action) {
            each("requests", action);
        }

        void disputes(Consumer<JsonNode> action) {
            each("disputes", action);
        }

        private void each(String what, Consumer<JsonNode> action) {
            try (var http = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
                long after = 0;
                for (long count = -1; count != 0; after += count) {
                    String page = page(http, what, after);
                    count = page.lines().filter(line -> !line.isBlank()).peek(line -> action.accept(JSON.readTree(line))).count();
                }
            }
        }

        private String page(HttpClient http, String what, long after) {
            var request = HttpRequest.newBuilder(psp.resolve("/_sandbox/%s?after=%d&limit=%d".formatted(what, after, LINES_PER_PAGE)))
                    .timeout(PATIENCE).build();
            try {
                var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
                if (answer.statusCode() != 200) {
                    throw new IOException("it answered " + answer.statusCode());
                }
                return answer.body();
            } catch (IOException e) {
                throw new EvidenceMissing("the ledger of the PSP at %s cannot be read: %s".formatted(psp, e.getMessage()), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EvidenceMissing("interrupted while reading the ledger of " + psp, e);
            }
        }
    }
}
