// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import picocli.CommandLine;

/** A database and topics of its own, and what was started over them. */
public abstract class SenderFixture implements AutoCloseable {

    /** What a command said. */
    public record Called(int exit, String out, String err) {}

    protected final Topics topics = new Topics("notifications-" + UUID.randomUUID());
    protected final String url = TestStack.newDatabase(empty -> {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    });
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<AutoCloseable> started = new ArrayList<>();

    protected SenderFixture() {
        execute(url, "INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex'), ('initech'), ('hooli')");
        try (var admin = kafka.newAdmin()) {
            new TopicPlan(topics, 2, Optional.of((short) 1)).create(admin);
        }
        producer = new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    public String as(String role) {
        return url.replace("user=postgres", "user=" + role);
    }

    protected PipelineSettings pipeline(String role) {
        return new PipelineSettings(as(role), role, "", TestStack.kafka().bootstrapServers(), Optional.empty(), topics.prefix(),
                List.of(Duration.ofSeconds(1)), Optional.empty());
    }

    protected Lifecycle started(Lifecycle service) {
        started.add(service);
        return service;
    }

    public Database database(String role) {
        var database = Database.openForService(as(role), role, "", 4);
        started.add(database);
        return database;
    }

    protected static Called call(CommandLine command, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
        return new Called(exit, out.toString(), err.toString());
    }

    protected void publish(String topic, String key, String value) {
        try {
            producer.send(new ProducerRecord<>(topic, key.getBytes(), value.getBytes())).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void eventually(ThrowingRunnable holds) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50)).untilAsserted(holds);
    }

    protected Connection connect() throws SQLException {
        return connect(url);
    }

    private static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url + "&currentSchema=chargeonce");
    }

    public void execute(String sql) {
        execute(url, sql);
    }

    private static void execute(String url, String sql) {
        try (var connection = connect(url); var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public String text(String sql) {
        try (var connection = connect(); var statement = connection.createStatement(); var row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "(none)";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : started.reversed()) {
            each.close();
        }
        producer.close();
    }
}
