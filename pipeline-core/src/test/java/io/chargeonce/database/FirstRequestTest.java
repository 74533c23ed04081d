// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.sandbox.TestStack;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The record of an operation's first step: the outbox stores its key, and the relay renders it from the operation's row. */
class FirstRequestTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String TOPIC = "payments.requests";
    private static final String FIRST = PaymentId.derive("acme", new IdempotencyKey("first")).value();
    private static final String SECOND = PaymentId.derive("acme", new IdempotencyKey("second")).value();
    private static String url;
    private static Database database;

    @BeforeAll
    static void open() {
        url = TestStack.newDatabase(empty -> {
            Migrations.apply(empty, "postgres", "");
            Roles.apply(empty, "postgres", "", Optional.empty());
        });
        database = Database.openForService(url, "postgres", "", 4);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @AfterEach
    void empty() {
        change("TRUNCATE operation, operation_state, outbox CASCADE");
    }

    private static final String ACCEPT = """
            INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, customer,
                                   reference, traceparent, description, receipt_email, initiator, charge_within_s)
            VALUES ('%1$s', '%1$s', 'charge', 'acme', 'key of "%1$s"', 1299, 'EUR', 'pm_card_visa', %2$s, 'd', 'ann@example.com',
                    'scheduled', 60)
            """;
    private static final String REFUND = """
            INSERT INTO operation (operation_id, payment_id, kind, operation_ref, merchant_id, idempotency_key, amount, currency,
                                   payment_method, customer, reference, charge_within_s)
            VALUES ('payment-%1$s-refund-1', '%1$s', 'refund', '1', 'acme', 'payment-%1$s-refund-1', 1000, 'EUR', 'pm_card_visa', 'ann',
                    '1', 60)
            """;

    private static int execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    /** By the owner, with the triggers switched off. */
    private static void change(String sql) {
        database.inTransaction(connection -> execute(connection, "SET LOCAL session_replication_role = replica; " + sql));
    }

    /**
     * A payment and its refund, accepted and staged in one transaction.
     *
     * @param personal its customer, its reference and its trace
     * @return what was staged before the relay rendered it
     */
    private static Map<String, OutboxRow> accept(String id, String personal) {
        List<String> both = List.of(id, "payment-" + id + "-refund-1");
        database.inTransaction(connection -> {
            execute(connection, ACCEPT.formatted(id, personal));
            execute(connection, REFUND.formatted(id));
            Outbox.stageRequests(connection, TOPIC, both);
            return both;
        });
        return both.stream().collect(Collectors.toMap(operation -> operation, operation -> Staging.work(TOPIC,
                database.withConnection(connection -> OperationTable.find(connection, operation)).orElseThrow())));
    }

    private static String text(String query) {
        return database.withConnection(connection -> Sql.one(connection, query, row -> String.valueOf(row.getString(1))));
    }

    /** Returns what a relay with this login has sent by the time that nothing waits any more. */
    private static List<ProducerRecord<byte[], byte[]>> relayAs(String role) {
        var kafka = new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        try (var login = Database.openForService(url.replace("user=postgres", "user=" + role), role, "", 2);
             var relay = new OutboxRelay(login, Staging::request, () -> kafka, "/chargeonce", new SimpleMeterRegistry()).start()) {
            await().atMost(LONG).until(() -> text("SELECT count(*) FROM outbox WHERE refusal IS NULL").equals("0"));
            assertThat(relay.problem()).isEmpty();
        }
        return kafka.history();
    }

    private static Map<String, String> headers(ProducerRecord<byte[], byte[]> sent) {
        return StreamSupport.stream(sent.headers().spliterator(), false)
                .collect(Collectors.toMap(header -> header.key(), header -> new String(header.value(), StandardCharsets.UTF_8)));
    }

    private static void areThese(List<ProducerRecord<byte[], byte[]>> records, Map<String, OutboxRow> expected) {
        assertThat(records).hasSize(expected.size()).allSatisfy(sent -> {
            OutboxRow row = expected.get(new String(sent.key(), StandardCharsets.UTF_8));
            assertThat(sent.topic()).isEqualTo(TOPIC);
            assertThat(sent.value()).asString(StandardCharsets.UTF_8).isEqualTo(new String(row.value().orElseThrow(),
                    StandardCharsets.UTF_8));
            assertThat(headers(sent)).containsEntry("ce_source", "/chargeonce").containsAllEntriesOf(row.headers())
                    .hasSize(row.headers().size() + 1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"NULL, NULL, NULL", "'ann', 'order-7', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'",
        "E'\\u0001\\t\"\\\\', E'\\u20ac \\U0001F600 \\u007f \\u2028 </script>', NULL"})
    void it_has_the_bytes_and_the_headers_that_its_operation_says(String personal) {
        Map<String, OutboxRow> accepted = accept(FIRST, personal);
        assertThat(text("SELECT count(*) FROM outbox WHERE value IS NULL AND headers IS NULL")).isEqualTo("2");

        areThese(relayAs("chargeonce_ingest"), accepted);
    }

    /** The first one was set aside once, and the second one is. */
    @ParameterizedTest
    @ValueSource(strings = {"chargeonce_ingest", "chargeonce_charge", "chargeonce_retry"})
    void each_relay_renders_it_and_late_or_twice_it_is_the_same(String role) {
        Map<String, OutboxRow> accepted = accept(FIRST, "'ann', 'order-7', NULL");
        change("""
                UPDATE operation_state SET state = 'declined', step = 4, sequence = 3, tier = 2, psp = 'stripe', failure_cause = 'declined',
                       failure_message = 'no', staged_at = now() + interval '1 hour', settled_at = now();
                UPDATE outbox SET refusal = 'too large'""");
        change("UPDATE outbox SET refusal = NULL");
        areThese(relayAs(role), accepted);

        accepted = accept(SECOND, "'ann', 'order-7', NULL");
        change("UPDATE outbox SET refusal = 'too large' WHERE record_key = '" + SECOND + "'");
        areThese(relayAs(role), accepted);
    }

    @Test
    void what_was_erased_before_is_not_told() {
        accept(FIRST, "'ann', 'order-7', NULL");
        change("UPDATE operation SET customer = '[erased]'");

        assertThat(relayAs("chargeonce_charge")).hasSize(2).allSatisfy(sent -> assertThat(sent.value()).asString(StandardCharsets.UTF_8)
                .contains("\"customer\":\"[erased]\"").doesNotContain("ann"));
    }

    /** Its payment was forgotten while the broker refused it, say; or another life of its key has begun. */
    @ParameterizedTest
    @ValueSource(strings = {"DELETE FROM operation", "UPDATE operation SET accepted_xid = pg_current_xact_id()"})
    void without_its_operation_it_is_set_aside_alone_and_the_others_go(String gone) {
        accept(FIRST, "NULL, NULL, NULL");
        Map<String, OutboxRow> accepted = accept(SECOND, "NULL, NULL, NULL");
        change(gone + " WHERE operation_id = '" + FIRST + "'");
        List<ProducerRecord<byte[], byte[]>> sent = relayAs("chargeonce_ingest");

        assertThat(text("SELECT string_agg(record_key || ': ' || refusal, '') FROM outbox"))
                .startsWith(FIRST + ": its operation is not there");
        assertThat(sent).hasSize(3);
        areThese(sent.stream().filter(record -> accepted.containsKey(new String(record.key(), StandardCharsets.UTF_8))).toList(), accepted);
    }
}
