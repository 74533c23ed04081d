// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import io.chargeonce.database.Database;
import io.chargeonce.endpoints.EndpointTable.Change;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the caller may look up about deliveries, and how it sends them again. Any thread. */
public final class DeliveryBook {

    /**
     * What to list; what is empty does not matter.
     *
     * @param after the list goes on behind this delivery
     */
    public record Filter(Optional<String> endpoint, Optional<String> payment, Optional<String> state, Optional<String> webhook,
            Optional<Position> after) {

        public static Filter ofWebhook(String id) {
            return new Filter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(id), Optional.empty());
        }

        public static Filter ofPayment(String id) {
            return new Filter(Optional.empty(), Optional.of(id), Optional.empty(), Optional.empty(), Optional.empty());
        }
    }

    /** The place of a delivery in the list. */
    public record Position(Instant createdAt, String webhook) {}

    /** The states of a delivery. */
    public static final List<String> STATES = List.of("waiting", "delivered", "dead");

    /**
     * @param state one of {@link #STATES}
     * @param dueAt of a waiting one: the next try, or when the present one was due
     */
    public record Entry(String webhook, String endpoint, String event, Optional<String> payment, String state, int attempts,
            Optional<Integer> lastStatus, Optional<String> lastError, Instant createdAt, Instant dueAt, Optional<Instant> endedAt) {}

    /** Dead deliveries of an endpoint are redelivered so many at a time: a transaction with a million rows would hold their locks. */
    private static final int BATCH = 1_000;

    private final Database database;
    private final Caller caller;

    public DeliveryBook(Database database, Caller caller) {
        this.database = database;
        this.caller = caller;
    }

    private static final String LIST = """
            SELECT webhook_id, endpoint_id, event_type, payment_id, state, attempts, last_status, last_error, created_at, due_at, ended_at
              FROM webhook_deliveries(?, ?, ?, ?, ?, ?, ?, ?)
            """;

    /** The newest first. */
    public List<Entry> list(Filter filter, int most) {
        return database.withConnection(connection -> {
            try (var statement = EndpointTable.asCaller(connection, LIST, caller)) {
                statement.setString(2, filter.endpoint.orElse(null));
                statement.setString(3, filter.payment.orElse(null));
                statement.setString(4, filter.state.orElse(null));
                statement.setString(5, filter.webhook.orElse(null));
                statement.setObject(6, filter.after.map(position -> position.createdAt.atOffset(ZoneOffset.UTC)).orElse(null));
                statement.setString(7, filter.after.map(Position::webhook).orElse(null));
                statement.setInt(8, most);
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

    /** For people with the role for merchants. */
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

    private static final String REDELIVER = "SELECT redeliver_webhook(?, ?)";

    /** Sends one again under its id, also one that was delivered. There is no endpoint if there is no such delivery, or it is disabled. */
    public Change redeliver(String webhook) {
        Optional<Entry> found = list(Filter.ofWebhook(webhook), 1).stream().findFirst();
        return found.isEmpty() ? Change.NO_ENDPOINT : database.inTransaction(connection -> {
            try (var statement = EndpointTable.asCaller(connection, REDELIVER, caller)) {
                statement.setString(2, webhook);
                Change change = EndpointTable.change(statement);
                if (change == Change.DONE) {
                    EndpointTable.record(connection, caller, "webhook.redelivered", found.get().endpoint, Map.of("webhook", webhook));
                }
                return change;
            }
        });
    }

    private static final String REDELIVER_DEAD = "SELECT redeliver_webhooks(?, ?, ?)";

    /**
     * Sends dead ones of an endpoint again, the oldest first.
     *
     * @param most how many at most
     * @return how many; none if the endpoint is disabled
     */
    public long redeliverDeadOf(String endpoint, long most) {
        long all = 0;
        int some;
        int asked;
        do {
            asked = (int) Math.min(BATCH, most - all);
            some = redeliverSome(endpoint, asked);
            all += some;
        } while (some == asked && all < most);
        return all;
    }

    private static final String STAGE_MISSED = "SELECT stage_missed_webhooks(ARRAY[?])";

    /**
     * Makes the deliveries that a payment and its refunds lack, because the topic of outcomes lost their records. For people.
     *
     * @return how many were missing
     */
    public int stageMissedOf(String payment) {
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(STAGE_MISSED)) {
                statement.setString(1, payment);
                try (var row = statement.executeQuery()) {
                    row.next();
                    int made = row.getInt(1);
                    if (made > 0) {
                        EndpointTable.record(connection, caller, "webhook.staged", payment, Map.of("missed", made));
                    }
                    return made;
                }
            }
        });
    }

    private int redeliverSome(String endpoint, int most) {
        return database.inTransaction(connection -> {
            int moved = redeliver(connection, endpoint, most);
            if (moved > 0) {
                EndpointTable.record(connection, caller, "webhook.redelivered", endpoint, Map.of("dead", moved));
            }
            return moved;
        });
    }

    private int redeliver(Connection connection, String endpoint, int most) throws SQLException {
        try (var statement = EndpointTable.asCaller(connection, REDELIVER_DEAD, caller)) {
            statement.setString(2, endpoint);
            statement.setInt(3, most);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
