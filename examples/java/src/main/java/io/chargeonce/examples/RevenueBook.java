// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.examples;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Each merchant's revenue by currency, in a Postgres database of the consumer. An event counts once, however often it is read: its id is
 * stored in the transaction that counts it. For one thread; other threads and processes have a connection of their own.
 */
public final class RevenueBook {

    private static final JsonMapper JSON = new JsonMapper();
    /** Reversals are not here: they give back money that no event announced. */
    private static final Map<String, Integer> SIGNS = Map.of("io.chargeonce.payment.succeeded", 1, "io.chargeonce.refund.succeeded", -1,
            "io.chargeonce.refund.failed", 1, "io.chargeonce.return.succeeded", -1);

    private static final String TABLES = """
            CREATE TABLE IF NOT EXISTS seen_event (
                ce_source text, ce_id text, seen_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (ce_source, ce_id));
            CREATE TABLE IF NOT EXISTS revenue (
                merchant text, currency text, minor_units bigint NOT NULL, PRIMARY KEY (merchant, currency))
            """;

    private final Connection connection;

    public RevenueBook(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            // Two processes that start at once must not create the tables at once.
            statement.execute("SELECT pg_advisory_xact_lock(hashtext('revenue'))");
            statement.execute(TABLES);
        }
        connection.commit();
    }

    /**
     * Counts an event, unless it was counted before. Returns after the commit.
     *
     * @return whether it was new and changed the revenue
     * @throws IllegalArgumentException if this program is too old for the event; passing it over would lose money
     */
    public boolean apply(ConsumerRecord<String, byte[]> record) throws SQLException {
        String type = header(record, "ce_type");
        Integer sign = SIGNS.get(type);
        if (sign == null) {
            return false; // New types may appear at any time.
        }
        String schema = header(record, "ce_dataschema");
        if (!schema.equals("urn:chargeonce:schema:" + type.replace("io.chargeonce.", "") + ":1")) {
            throw new IllegalArgumentException("%s at %s-%d offset %d has the schema %s. Update this program, and start it again."
                    .formatted(type, record.topic(), record.partition(), record.offset(), schema));
        }
        JsonNode event = JSON.readTree(record.value());
        try {
            boolean fresh = remember(header(record, "ce_source"), header(record, "ce_id"));
            if (fresh) {
                add(event.required("merchant").asString(), event.required("currency").asString(),
                        sign * event.required("amount").longValue());
            }
            connection.commit();
            return fresh;
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        }
    }

    /** If another process is storing the same id, the database waits for it to commit. */
    private static final String REMEMBER = "INSERT INTO seen_event (ce_source, ce_id) VALUES (?, ?) ON CONFLICT DO NOTHING";

    private boolean remember(String source, String id) throws SQLException {
        try (var statement = connection.prepareStatement(REMEMBER)) {
            statement.setString(1, source);
            statement.setString(2, id);
            return statement.executeUpdate() == 1;
        }
    }

    private static final String ADD = """
            INSERT INTO revenue (merchant, currency, minor_units) VALUES (?, ?, ?)
            ON CONFLICT (merchant, currency) DO UPDATE SET minor_units = revenue.minor_units + excluded.minor_units
            """;

    private void add(String merchant, String currency, long minorUnits) throws SQLException {
        try (var statement = connection.prepareStatement(ADD)) {
            statement.setString(1, merchant);
            statement.setString(2, currency);
            statement.setLong(3, minorUnits);
            statement.executeUpdate();
        }
    }

    private static String header(ConsumerRecord<?, ?> record, String name) {
        Header header = record.headers().lastHeader(name);
        if (header == null) {
            throw new IllegalArgumentException("the record at %s-%d offset %d has no header %s".formatted(record.topic(),
                    record.partition(), record.offset(), name));
        }
        return new String(header.value(), StandardCharsets.UTF_8);
    }
}
