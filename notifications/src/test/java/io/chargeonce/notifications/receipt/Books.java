// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Roles;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.notifications.receipt.terminal.ReceiptCommand;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A database and topics of its own, with payments that succeed, and the service under its own role. */
final class Books implements AutoCloseable {

    record Called(int exit, String out, String err) {}

    static final String ROLE = "chargeonce_receipts";

    final Topics topics = new Topics("receipts-" + UUID.randomUUID());
    final String url = TestStack.newDatabase(empty -> {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    });
    private final KafkaConnection kafka = new KafkaConnection(TestStack.kafka().bootstrapServers(), Map.of());
    private final KafkaProducer<byte[], byte[]> producer;
    private final List<AutoCloseable> started = new ArrayList<>();

    Books() {
        execute("INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex')");
        try (var admin = kafka.newAdmin()) {
            new TopicPlan(topics, 2, Optional.of((short) 1)).create(admin);
        }
        producer = new KafkaProducer<>(kafka.clientProperties(), new ByteArraySerializer(), new ByteArraySerializer());
    }

    static Letterhead letterhead() {
        return new Letterhead("receipts@shop.example", Optional.of("help@shop.example"), Locale.ENGLISH, ZoneOffset.UTC);
    }

    ReceiptSettings settings(MailServer server) {
        var pipeline = new PipelineSettings(as(ROLE), ROLE, "", TestStack.kafka().bootstrapServers(), Optional.empty(), topics.prefix(),
                List.of(Duration.ofSeconds(1)), Optional.empty());
        return new ReceiptSettings(pipeline, server, letterhead());
    }

    String as(String role) {
        return url.replace("user=postgres", "user=" + role);
    }

    Lifecycle start(ReceiptSettings settings) {
        var service = ReceiptService.start(settings, Meters.of("test"));
        started.add(service);
        return service;
    }

    Database database(String role) {
        var database = Database.openForService(as(role), role, "", 4);
        started.add(database);
        return database;
    }

    /** As people on call. */
    Called receipt(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        String role = "chargeonce_dlq_operator";
        int exit = new ReceiptCommand(() -> Database.openForCommand(as(role), role, "")).commandLine().setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err)).execute(arguments);
        return new Called(exit, out.toString(), err.toString());
    }

    /** Returns the id of a payment that has succeeded. */
    String paid(String email) {
        return paid(email, 1299, "EUR", "order-7", "two mugs");
    }

    String paid(String email, long amount, String currency, String reference, String description) {
        String id = accepted(email, amount, currency, reference, description);
        succeeds(id);
        return id;
    }

    void succeeds(String operation) {
        succeeds(operation, "'2026-11-23T14:05:00Z'");
    }

    /** @param at an expression of Postgres */
    void succeeds(String operation, String at) {
        execute("UPDATE operation_state SET state = 'succeeded', step = 2, settled_at = " + at + ", psp = 'stripe', "
                + "psp_reference = 'pi_1' WHERE operation_id = '" + operation + "'");
    }

    String accepted(String email, long amount, String currency, String reference, String description) {
        String id = "pay_" + UUID.randomUUID();
        insert("charge", id, id, "", amount, currency, reference, description, email);
        return id;
    }

    /** Returns the id of a refund of this payment that has succeeded. */
    String refunded(String payment, long amount) {
        String id = refund(payment, amount);
        succeeds(id);
        return id;
    }

    String refund(String payment, long amount) {
        String id = "payment-" + payment + "-refund-a";
        insert("refund", id, payment, "a", amount, "EUR", "a", null, null);
        return id;
    }

    private static final String INSERT = """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                payment_method, customer, reference, description, receipt_email, charge_within_s)
            VALUES (?, ?, ?, ?, 'acme', ?, ?, ?, 'pm_card_visa', 'cus_secret', ?, ?, ?, 86400)
            """;

    private void insert(String kind, String id, String payment, String of, long amount, String currency, String reference,
                        String description, String email) {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
             var statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, id);
            statement.setString(2, payment);
            statement.setString(3, kind);
            statement.setString(4, of);
            statement.setString(5, id);
            statement.setLong(6, amount);
            statement.setString(7, currency);
            statement.setString(8, reference);
            statement.setString(9, description);
            statement.setString(10, email);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As charge stages it, with another amount, which must not matter. */
    void publish(String operation) {
        publish(operation, "{\"type\":\"payment.receipt\",\"version\":1,\"payment_id\":\"pay_other\",\"operation_id\":\"" + operation
                + "\",\"kind\":\"charge\",\"merchant\":\"globex\",\"amount\":999999,\"currency\":\"USD\"}");
    }

    void publish(String key, String value) {
        try {
            producer.send(new ProducerRecord<>(topics.receipts(), key.getBytes(), value.getBytes())).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** State, tries and last error of an operation's receipt. */
    String receiptOf(String operation) {
        return text(
                "SELECT state || ' ' || attempts || ' ' || coalesce(last_error, '') FROM receipt WHERE operation_id = '" + operation + "'");
    }

    String idOf(String operation) {
        return text("SELECT receipt_id FROM receipt WHERE operation_id = '" + operation + "'");
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
