// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import io.chargeonce.database.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What people look up about deliveries, and how they send them again. Any thread. */
public final class DeliveryBook {

    /** What to list; what is empty does not matter. */
    public record Filter(Optional<String> endpoint, Optional<String> payment, Optional<String> state, Optional<String> webhook) {

        public static Filter ofWebhook(String id) {
            return new Filter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(id));
        }
    }

    /**
     * @param state {@code waiting}, {@code delivered} or {@code dead}
     * @param dueAt of a waiting one: the next try, or the end of the present one
     */
    public record Entry(String webhook, String endpoint, String event, Optional<String> payment, String state, int attempts,
            Optional<Integer> lastStatus, Optional<String> lastError, Instant createdAt, Instant dueAt, Optional<Instant> endedAt) {}

    private final Database database;
    private final String claim;

    /** @param claim the client's own name for its user */
    public DeliveryBook(Database database, String claim) {
        this.database = database;
        this.claim = claim;
    }

    private static final String LIST = """
            SELECT webhook_id, endpoint_id, event_type, payment_id, state, attempts, last_status, last_error, created_at, due_at, ended_at
              FROM webhook_delivery
             WHERE endpoint_id = coalesce(?, endpoint_id) AND payment_id IS NOT DISTINCT FROM coalesce(?, payment_id)
               AND state = coalesce(?, state) AND webhook_id = coalesce(?, webhook_id)
             ORDER BY created_at DESC, webhook_id
             LIMIT ?
            """;

    /** The newest first. */
    public List<Entry> list(Filter filter, int most) {
        return database.withConnection(connection -> {
            try (var statement = connection.prepareStatement(LIST)) {
                statement.setString(1, filter.endpoint.orElse(null));
                statement.setString(2, filter.payment.orElse(null));
                statement.setString(3, filter.state.orElse(null));
                statement.setString(4, filter.webhook.orElse(null));
                statement.setInt(5, most);
                try (var row = statement.executeQuery()) {
                    var entries = new ArrayList<Entry>();
                    while (row.next()) {
                        entries.add(entry(row));
                    }
                    return entries;
                }
            }
        });
    }

    private static Entry entry(ResultSet row) throws SQLException {
        return new Entry(row.getString(1), row.getString(2), row.getString(3), Optional.ofNullable(row.getString(4)), row.getString(5),
                row.getInt(6), Optional.ofNullable(row.getObject(7, Integer.class)), Optional.ofNullable(row.getString(8)),
                row.getTimestamp(9).toInstant(), row.getTimestamp(10).toInstant(),
                Optional.ofNullable(row.getTimestamp(11)).map(Timestamp::toInstant));
    }

    private static final String COUNT_DEAD = "SELECT count(*) FROM webhook_delivery WHERE endpoint_id = ? AND state = 'dead'";

    public long deadOf(String endpoint) {
        return database.withConnection(connection -> {
            try (var statement = connection.prepareStatement(COUNT_DEAD)) {
                statement.setString(1, endpoint);
                try (var row = statement.executeQuery()) {
                    row.next();
                    return row.getLong(1);
                }
            }
        });
    }

    private static final String REDELIVER_ONE = """
            UPDATE webhook_delivery SET state = 'waiting', attempts = 0, due_at = now(), ended_at = NULL
             WHERE webhook_id = ? AND endpoint_id IN (SELECT endpoint_id FROM webhook_endpoint WHERE disabled_by IS NULL)
            RETURNING endpoint_id
            """;
    private static final String REDELIVER_DEAD = """
            UPDATE webhook_delivery SET state = 'waiting', attempts = 0, due_at = now(), ended_at = NULL
             WHERE endpoint_id = ? AND state = 'dead'
               AND endpoint_id IN (SELECT endpoint_id FROM webhook_endpoint WHERE disabled_by IS NULL)
            RETURNING endpoint_id
            """;

    /** Sends one again under its id, also one that was delivered. @return false if there is none, or its endpoint is disabled */
    public boolean redeliver(String webhook) {
        return again(REDELIVER_ONE, webhook, Map.of("webhook", webhook)) == 1;
    }

    /** Sends all dead ones of an endpoint again. @return how many; none if the endpoint is disabled */
    public int redeliverDeadOf(String endpoint) {
        return again(REDELIVER_DEAD, endpoint, Map.of("dead", true));
    }

    private int again(String sql, String id, Map<String, ?> data) {
        return database.inTransaction(connection -> {
            int moved = 0;
            String endpoint = "";
            try (var statement = connection.prepareStatement(sql)) {
                statement.setString(1, id);
                try (var row = statement.executeQuery()) {
                    for (; row.next(); moved++) {
                        endpoint = row.getString(1);
                    }
                }
            }
            if (moved > 0) {
                EndpointBook.record(connection, claim, "webhook.redelivered", EndpointBook.merchantOf(connection, endpoint), endpoint,
                        data);
            }
            return moved;
        });
    }
}
