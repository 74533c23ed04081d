// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

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
    public String metrics(URI service) {
        return Metrics.of(service);
    }

    @Override
    public void eachRequest(Consumer<JsonNode> action) {
        evidence.psps().forEach(psp -> new ServedLedger(psp).requests(action));
    }
}
