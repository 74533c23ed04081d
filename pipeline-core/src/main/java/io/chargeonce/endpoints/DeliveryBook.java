// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.endpoints.EndpointTable.Change;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
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

    /** The time in which a delivery was created: from a moment on, and before another if there is one. */
    public record Window(Instant since, Optional<Instant> until) {

        public Window {
            if (until.filter(end -> !end.isAfter(since)).isPresent()) {
                throw new IllegalArgumentException("the end must be later than the beginning");
            }
        }
    }

    /** @param nextSince since when the rest of the time was created; empty if there was no more */
    public record Redelivered(long count, Optional<Instant> nextSince) {}

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

    /** Deliveries of an endpoint are redelivered so many at a time: a transaction with a million rows would hold their locks. */
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
        return database.withConnection(connection -> Sql.all(connection, LIST, DeliveryBook::entry, caller.digest(), filter.endpoint,
                filter.payment, filter.state, filter.webhook, filter.after.map(Position::createdAt), filter.after.map(Position::webhook),
                most));
    }

    private static Entry entry(ResultSet row) throws SQLException {
        return new Entry(row.getString(1), row.getString(2), row.getString(3), Optional.ofNullable(row.getString(4)), row.getString(5),
                row.getInt(6), Optional.ofNullable(row.getObject(7, Integer.class)), Optional.ofNullable(row.getString(8)),
                Sql.instant(row, 9), Sql.instant(row, 10), Optional.ofNullable(Sql.instant(row, 11)));
    }

    private static final String COUNT_DEAD = "SELECT count(*) FROM webhook_delivery WHERE endpoint_id = ? AND state = 'dead'";

    /** For people with the role for merchants. */
    public long deadOf(String endpoint) {
        return database.withConnection(connection -> Sql.one(connection, COUNT_DEAD, row -> row.getLong(1), endpoint));
    }

    private static final String COUNT_ENDED = """
            SELECT count(*) FROM webhook_delivery
             WHERE endpoint_id = ? AND created_at >= ? AND created_at < coalesce(?, 'infinity'::timestamptz)
               AND (state = 'dead' OR state = 'delivered' AND ended_at < now() - interval '10 minutes')
            """;

    /** How many {@link #redeliver(String, Window, long)} would send now. For people with the role for merchants. */
    public long endedOf(String endpoint, Window window) {
        return database.withConnection(
                connection -> Sql.one(connection, COUNT_ENDED, row -> row.getLong(1), endpoint, window.since, window.until));
    }

    private static final String REDELIVER = "SELECT redeliver_webhook(?, ?)";

    /** Sends one again under its id, also one that was delivered. There is no endpoint if there is no such delivery, or it is disabled. */
    public Change redeliver(String webhook) {
        Optional<Entry> found = list(Filter.ofWebhook(webhook), 1).stream().findFirst();
        return found.isEmpty() ? Change.NO_ENDPOINT : database.inTransaction(connection -> {
            Change change = EndpointTable.change(connection, REDELIVER, caller.digest(), webhook);
            if (change == Change.DONE) {
                EndpointTable.record(connection, caller, "webhook.redelivered", found.get().endpoint, Map.of("webhook", webhook));
            }
            return change;
        });
    }

    /**
     * Sends dead ones of an endpoint again, the oldest first.
     *
     * @param most how many at most
     * @return how many; none if the endpoint is disabled
     */
    public long redeliverDeadOf(String endpoint, long most) {
        return redeliver(endpoint, Optional.empty(), most).count;
    }

    /** The same for dead and delivered ones of a time, but not for those that were delivered in the last ten minutes. */
    public Redelivered redeliver(String endpoint, Window window, long most) {
        return redeliver(endpoint, Optional.of(window), most);
    }

    private Redelivered redeliver(String endpoint, Optional<Window> window, long most) {
        long all = 0;
        Redelivered some;
        int asked;
        do {
            asked = (int) Math.min(BATCH, most - all);
            some = redeliverSome(endpoint, window, asked);
            all += some.count;
        } while (some.count == asked && all < most);
        return new Redelivered(all, some.nextSince);
    }

    private static final String STAGE_MISSED = "SELECT stage_missed_webhooks(ARRAY[?])";

    /**
     * Makes the deliveries that a payment and its refunds lack, because the topic of outcomes lost their records. For people.
     *
     * @return how many were missing
     */
    public int stageMissedOf(String payment) {
        return database.inTransaction(connection -> {
            int made = Sql.one(connection, STAGE_MISSED, row -> row.getInt(1), payment);
            if (made > 0) {
                EndpointTable.record(connection, caller, "webhook.staged", payment, Map.of("missed", made));
            }
            return made;
        });
    }

    private static final String REDELIVER_SOME = "SELECT moved, last_created_at FROM redeliver_webhooks(?, ?, ?, ?, ?)";

    private Redelivered redeliverSome(String endpoint, Optional<Window> window, int most) {
        Optional<Instant> since = window.map(Window::since);
        Optional<Instant> until = window.flatMap(Window::until);
        return database.inTransaction(connection -> {
            Redelivered moved = Sql.one(connection, REDELIVER_SOME, row -> redelivered(row, most), caller.digest(), endpoint, most, since,
                    until);
            if (moved.count > 0) {
                EndpointTable.record(connection, caller, "webhook.redelivered", endpoint, since.isEmpty() ? Map.of("dead", moved.count)
                        : Map.of("ended", moved.count, "since", since.get().toString(), "until", until.map(Instant::toString).orElse("")));
            }
            return moved;
        });
    }

    private static Redelivered redelivered(ResultSet row, int most) throws SQLException {
        long count = row.getLong(1);
        return new Redelivered(count, count < most ? Optional.empty() : Optional.ofNullable(Sql.instant(row, 2)));
    }
}
