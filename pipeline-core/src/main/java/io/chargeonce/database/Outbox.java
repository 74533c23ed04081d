// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import io.chargeonce.database.raw.RawRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The outbox table: records for Kafka, staged within the transaction that decides about them. */
public final class Outbox {

    private static final JsonMapper HEADERS = new JsonMapper();

    /**
     * {@code staged_at} is the transaction's start: never later than any time in other rows of the same transaction. The condition always
     * holds. Evaluating it gives the transaction its number before any row takes an id.
     */
    private static final String STAGE = """
            INSERT INTO outbox (shard, topic, record_key, value, headers)
            SELECT shard, topic, record_key, value, headers::json
              FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bytea[], ?::text[])
                AS row (shard, topic, record_key, value, headers)
             WHERE pg_current_xact_id() IS NOT NULL
            """;

    private Outbox() {}

    /** Rows of one key are published in the order in which their transactions staged them. */
    public static void stage(Connection connection, List<OutboxRow> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Sql.update(connection, STAGE, Columns.of(rows)
                .with("int4", OutboxRow::shard)
                .with("text", OutboxRow::topic)
                .with("text", OutboxRow::key)
                .with("bytea", row -> row.value().orElse(null))
                .with("text", row -> HEADERS.writeValueAsString(row.headers())));
    }

    private static final String STAGE_REQUESTS = """
            INSERT INTO outbox (shard, topic, record_key)
            SELECT shard, topic, operation
              FROM unnest(?::smallint[], ?::text[]) AS row (shard, operation), (VALUES (?)) AS destination (topic)
             WHERE pg_current_xact_id() IS NOT NULL
            """;

    /** The first requests of operations that this transaction has accepted. A relay renders them from the operations' rows. */
    public static void stageRequests(Connection connection, String topic, List<String> operations) throws SQLException {
        if (!operations.isEmpty()) {
            Sql.update(connection, STAGE_REQUESTS, Columns.of(operations)
                    .with("int4", OutboxRow::shardOf)
                    .with("text", operation -> operation), topic);
        }
    }

    private static final String STAGE_RAW = """
            INSERT INTO outbox (shard, topic, record_key, value, headers, raw_key, raw_headers)
            SELECT shard, topic, letter, value, json_build_object('%s', letter), raw_key, raw_headers
              FROM unnest(?::smallint[], ?::text[], ?::text[], ?::bytea[], ?::bytea[], ?::bytea[])
                AS row (shard, topic, letter, value, raw_key, raw_headers)
             WHERE pg_current_xact_id() IS NOT NULL
            """.formatted(RawRow.LETTER);

    /** Other systems' records. Each is published as if it had a key of its own: their order is not kept. */
    public static void stageRaw(Connection connection, List<RawRow> rows) throws SQLException {
        if (!rows.isEmpty()) {
            Sql.update(connection, STAGE_RAW, Columns.of(rows)
                    .with("int4", row -> OutboxRow.shardOf(row.letter()))
                    .with("text", RawRow::topic)
                    .with("text", RawRow::letter)
                    .with("bytea", row -> row.value().orElse(null))
                    .with("bytea", RawRow::key)
                    .with("bytea", RawRow::headers));
        }
    }

    /** What an operation's first request is made of. It never changes, so a request that is rendered twice has the same bytes. */
    public record FirstRequest(String topic, String operation, String payment, String kind, String merchant, String idempotencyKey,
            long amount, String currency, String paymentMethod, Optional<String> customer, Optional<String> reference, Instant acceptedAt,
            Optional<String> traceparent) {}

    /**
     * A row of the outbox.
     *
     * @param headersJson null if it is a first request, which is rendered
     * @param rawHeaders  null unless it is another system's record, and then {@code rawKey} is its key
     * @param request     empty also for a first request whose operation is gone
     */
    record Staged(long id, String topic, String key, byte[] value, String headersJson, byte[] rawKey, byte[] rawHeaders,
            Optional<FirstRequest> request) {

        /** @throws JacksonException if they are no object of texts */
        Map<String, String> headers() {
            return HEADERS.readerForMapOf(String.class).readValue(headersJson);
        }
    }

    private static final int MOST_AT_ONCE = 1000;
    /** A row has at most 12 MiB. The last one of a read may come on top, and first requests, which have some KB each. */
    private static final int MOST_BYTES_AT_ONCE = 8 << 20;

    private static final String READ = """
            WITH look AS MATERIALIZED (
                SELECT pg_current_snapshot() AS snapshot
            ), start AS MATERIALIZED (
                SELECT least(?, min(lowest)) AS id
                  FROM look LEFT JOIN unnest(?::text[]::xid8[], ?::bigint[]) AS open (transaction, lowest)
                    ON pg_visible_in_snapshot(transaction, snapshot)
            )
            SELECT outbox_id, topic, record_key, value, headers, raw_key, raw_headers, payment_id, kind, merchant_id, idempotency_key,
                   amount, currency, payment_method, customer, reference, accepted_at, traceparent,
                   snapshot::text, EXISTS (SELECT FROM outbox WHERE refusal IS NOT NULL AND shard = ANY (?)), found
              FROM look LEFT JOIN LATERAL (
                    SELECT staged.*, count(*) OVER () AS found, sum(bytes) OVER (ORDER BY outbox_id) - bytes AS before
                      FROM (SELECT * FROM outbox_to_relay AS staged
                             WHERE outbox_id >= (SELECT id FROM start) AND shard = ANY (?) AND topic <> ALL (?) AND refusal IS NULL
                               AND NOT EXISTS (SELECT FROM outbox AS refused
                                                WHERE refused.record_key = staged.record_key AND refused.refusal IS NOT NULL)
                             ORDER BY outbox_id
                             LIMIT ?) AS staged) AS staged ON before < ?
            """;

    /**
     * Reads from the frontier on, and moves it. Rows that wait behind a refused one are left out.
     *
     * @param held topics that are left out; when one of them is not held any more, the frontier has to be restarted
     */
    static List<Staged> read(Connection connection, List<Integer> shards, OutboxCursor frontier, Set<String> held) throws SQLException {
        try (var statement = connection.prepareStatement(READ)) {
            List<Map.Entry<Long, Long>> open = List.copyOf(frontier.lowestOfOpen().entrySet());
            statement.setLong(1, frontier.next());
            statement.setArray(2, connection.createArrayOf("text", open.stream().map(Map.Entry::getKey).toArray()));
            statement.setArray(3, connection.createArrayOf("int8", open.stream().map(Map.Entry::getValue).toArray()));
            statement.setArray(4, connection.createArrayOf("int4", shards.toArray()));
            statement.setArray(5, connection.createArrayOf("int4", shards.toArray()));
            statement.setArray(6, connection.createArrayOf("text", held.toArray()));
            statement.setInt(7, MOST_AT_ONCE);
            statement.setLong(8, MOST_BYTES_AT_ONCE);
            try (var result = statement.executeQuery()) {
                return rows(result, frontier);
            }
        }
    }

    private static List<Staged> rows(ResultSet result, OutboxCursor frontier) throws SQLException {
        var rows = new ArrayList<Staged>();
        result.next();
        var snapshot = OutboxCursor.Snapshot.parse(result.getString(19));
        boolean refusals = result.getBoolean(20);
        long found = result.getLong(21);
        if (result.getObject(1) != null) {
            do {
                rows.add(staged(result));
            } while (result.next());
        }
        frontier.looked(snapshot, rows.stream().map(Staged::id).toList(), rows.size() == found && found < MOST_AT_ONCE);
        if (refusals) {
            // When a row's refusal is cleared, the row has to go before those that waited behind it.
            frontier.restart();
        }
        return rows;
    }

    private static Staged staged(ResultSet row) throws SQLException {
        String topic = row.getString(2);
        String key = row.getString(3);
        Optional<FirstRequest> request = row.getString(8) == null ? Optional.empty()
                : Optional.of(new FirstRequest(topic, key, row.getString(8), row.getString(9), row.getString(10), row.getString(11),
                        row.getLong(12), row.getString(13), row.getString(14), Optional.ofNullable(row.getString(15)),
                        Optional.ofNullable(row.getString(16)), Sql.instant(row, 17), Optional.ofNullable(row.getString(18))));
        return new Staged(row.getLong(1), topic, key, row.getBytes(4), row.getString(5), row.getBytes(6), row.getBytes(7), request);
    }

    private static final String DELETE = "DELETE FROM outbox WHERE outbox_id = ANY (?)";

    /** Returns how many rows were deleted; another relay may have been faster. */
    static int delete(Connection connection, List<Long> ids) throws SQLException {
        return Sql.update(connection, DELETE, connection.createArrayOf("int8", ids.toArray()));
    }

    private static final String SET_ASIDE = "UPDATE outbox SET refusal = ? WHERE outbox_id = ?";

    static void setAside(Connection connection, long id, String why) throws SQLException {
        Sql.update(connection, SET_ASIDE, why, id);
    }

    private static final String REFUSED = """
            SELECT outbox_id, topic, record_key, value, headers, raw_key, raw_headers, payment_id, kind, merchant_id, idempotency_key,
                   amount, currency, payment_method, customer, reference, accepted_at, traceparent
              FROM (SELECT first.*, sum(bytes) OVER (ORDER BY record_key) - bytes AS before
                      FROM (SELECT DISTINCT ON (record_key) * FROM outbox_to_relay
                             WHERE refusal IS NOT NULL AND shard = ANY (?) AND record_key > ?
                             ORDER BY record_key, outbox_id
                             LIMIT ?) AS first) AS staged
             WHERE before < ?
             ORDER BY record_key
            """;

    /** The rows that were set aside, the first of each key, as many as {@link #read} takes; the next ones are behind the last key. */
    static List<Staged> refused(Connection connection, List<Integer> shards, String behind) throws SQLException {
        return Sql.all(connection, REFUSED, Outbox::staged, connection.createArrayOf("int4", shards.toArray()), behind, MOST_AT_ONCE,
                (long) MOST_BYTES_AT_ONCE);
    }

    private static final String OLDEST = """
            SELECT topic, extract(epoch FROM clock_timestamp() - staged_at)
              FROM outbox AS staged
             WHERE refusal IS NULL
               AND NOT EXISTS (SELECT FROM outbox AS refused
                                WHERE refused.record_key = staged.record_key AND refused.refusal IS NOT NULL)
             ORDER BY outbox_id
             LIMIT 1
            """;

    /** The row that has waited longest for Kafka. Refused rows, and those behind them, are counted elsewhere. */
    record Oldest(String topic, double seconds) {}

    static Optional<Oldest> oldest(Connection connection) throws SQLException {
        return Sql.first(connection, OLDEST, row -> new Oldest(row.getString(1), Math.max(0, row.getDouble(2))));
    }
}
