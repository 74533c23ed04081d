// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.endpoints.EndpointTable;
import io.chargeonce.endpoints.EndpointSettings;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import io.chargeonce.notifications.webhook.terminal.WebhookCommand;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A database and topics of its own, with merchants, payments that end, and the service under its own role. */
final class Hooks implements AutoCloseable {

    record Called(int exit, String out, String err) {}

    static final List<Duration> NEVER_AGAIN = List.of(Duration.ofHours(1));
    private static final Set<String> HERE = Set.of("localhost");

    final Topics topics = new Topics("hooks-" + UUID.randomUUID());
    private final String url = TestStack.newDatabase(empty -> {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    });
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<AutoCloseable> started = new ArrayList<>();
    private final Vault opens;
    private final Vault seals;

    Hooks() {
        execute("INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex'), ('initech'), ('hooli')");
        try (var admin = kafka.newAdmin()) {
            new TopicPlan(topics, 2, Optional.of((short) 1)).create(admin);
        }
        producer = new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer());
        try {
            Path file = Files.createTempDirectory("hooks").resolve("key");
            DataKeys.add(file);
            opens = Vault.of(new Secret(Files.readString(file)));
            seals = Vault.of(new Secret(Files.readString(file.resolveSibling("key" + DataKeys.PUBLIC))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    WebhookSettings settings() {
        var pipeline = new PipelineSettings(as("chargeonce_webhooks"), "chargeonce_webhooks", "", TestStack.kafka().bootstrapServers(),
                Optional.empty(), topics.prefix(), List.of(Duration.ofSeconds(1)), Optional.empty());
        return new WebhookSettings(pipeline, opens).withAllowedHosts(HERE).withPace(NEVER_AGAIN, Duration.ofSeconds(10), 16, 4);
    }

    String as(String role) {
        return url.replace("user=postgres", "user=" + role);
    }

    Lifecycle start(WebhookSettings settings) {
        var meters = Meters.of("test");
        var service = WebhookService.start(settings, meters);
        started.add(service);
        return service;
    }

    Database database(String role) {
        var database = Database.openForService(as(role), role, "", 4);
        started.add(database);
        return database;
    }

    /** As the role that manages merchants, which holds only the public half of the key. */
    Called webhook(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exit = new WebhookCommand(() -> new WebhookCommand.Opened(
                Database.openForCommand(as("chargeonce_merchant_admin"), "chargeonce_merchant_admin", ""),
                new EndpointSettings(seals, HERE)))
                .commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
        return new Called(exit, out.toString(), err.toString());
    }

    EndpointTable.NewEndpoint endpoint(String merchant, String address, String... events) {
        Called added = webhook("add", "--merchant", merchant, "--url", address, "--events",
                events.length == 0 ? "*" : String.join(",", events), "--json");
        if (added.exit != 0) {
            throw new IllegalStateException(added.err);
        }
        String[] parts = added.out.split("\"");
        return new EndpointTable.NewEndpoint(parts[3], parts[7]);
    }

    /** Returns the id of a payment that has ended so. */
    String settled(String merchant, String state) {
        String id = accepted(merchant);
        execute("""
                UPDATE operation_state SET state = '%s', step = 2, settled_at = now(), psp = 'stripe', psp_reference = 'pi_1',
                       failure_cause = %s
                 WHERE operation_id = '%s'""".formatted(state, state.equals("declined") ? "'insufficient_funds'" : "NULL", id));
        return id;
    }

    String accepted(String merchant) {
        String id = "pay_" + UUID.randomUUID();
        execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                    customer, description, receipt_email, charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', '%2$s', '%1$s', 1299, 'EUR', 'pm_card_visa', 'cus_secret', 'secret words',
                    'secret@example.com', 86400)""".formatted(id, merchant));
        return id;
    }

    void publish(String operation) {
        publish(operation, "{\"type\":\"payment.outcome\",\"status\":\"succeeded\",\"amount\":999999,\"merchant\":\"globex\"}");
    }

    void publish(String operation, String value) {
        try {
            producer.send(new ProducerRecord<>(topics.outcomes(), operation.getBytes(), value.getBytes())).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql) {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
             var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    String text(String sql) {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce"); var statement = connection.createStatement();
             var row = statement.executeQuery(sql)) {
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
