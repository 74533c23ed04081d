package io.chargeonce.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The outbox table: records for Kafka, staged within the transaction that decides about them. */
public final class Outbox {

    private static final JsonMapper HEADERS = new JsonMapper();

    /** {@code now()} is the transaction's start: never later than any time that the same transaction gives its other rows. */
    private static final String STAGE = """
            INSERT INTO outbox (shard, topic, record_key, value, headers, staged_at)
            SELECT shard, topic, record_key, value, headers::json, now()
              FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bytea[], ?::text[])
                AS row (shard, topic, record_key, value, headers)
            """;

    private Outbox() {}

    /** Rows of one key are published in the order in which their transactions staged them. */
    public static void stage(Connection connection, List<OutboxRow> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (var statement = connection.prepareStatement(STAGE)) {
            Columns.of(rows, statement)
                    .with("int4", OutboxRow::shard)
                    .with("text", OutboxRow::topic)
                    .with("text", OutboxRow::key)
                    .with("bytea", row -> row.value().orElse(null))
                    .with("text", row -> HEADERS.writeValueAsString(row.headers()));
            statement.executeUpdate();
        }
    }

    /** A row that the outbox holds. */
    record Staged(long id, String topic, String key, byte[] value, Map<String, String> headers, long stagedAtMillis) {}

    private static final String READ = """
            SELECT outbox_id, topic, record_key, value, headers, staged_at
              FROM outbox AS staged
             WHERE shard = ANY (?) AND refusal IS NULL
               AND NOT EXISTS (SELECT FROM outbox AS refused
                                WHERE refused.record_key = staged.record_key AND refused.refusal IS NOT NULL)
             ORDER BY outbox_id
             LIMIT 1000
            """;

    static List<Staged> read(Connection connection, List<Integer> shards) throws SQLException {
        try (var statement = connection.prepareStatement(READ)) {
            statement.setArray(1, connection.createArrayOf("int4", shards.toArray()));
            var rows = new ArrayList<Staged>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(new Staged(result.getLong(1), result.getString(2), result.getString(3), result.getBytes(4),
                            headers(result.getString(5)), result.getTimestamp(6).getTime()));
                }
            }
            return rows;
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> headers(String json) {
        return HEADERS.readValue(json, Map.class);
    }

    private static final String DELETE = "DELETE FROM outbox WHERE outbox_id = ANY (?)";

    static void delete(Connection connection, List<Long> ids) throws SQLException {
        try (var statement = connection.prepareStatement(DELETE)) {
            statement.setArray(1, connection.createArrayOf("int8", ids.toArray()));
            statement.executeUpdate();
        }
    }

    private static final String SET_ASIDE = "UPDATE outbox SET refusal = ? WHERE outbox_id = ?";

    static void setAside(Connection connection, long id, String why) throws SQLException {
        try (var statement = connection.prepareStatement(SET_ASIDE)) {
            statement.setString(1, why);
            statement.setLong(2, id);
            statement.executeUpdate();
        }
    }
}
