// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The rows of deliveries: which are due, and how their tries went. Any thread. */
final class DeliveryTable {

    /** Endpoints whose last try failed or took long have slots of their own, so that they delay no other. */
    enum Lane {
        SOUND, HELD_BACK
    }

    /**
     * What is recorded about a try.
     *
     * @param state waiting, delivered or dead
     * @param pause until the next try, of a waiting one
     */
    record Tried(Delivery delivery, Answer answer, String state, Duration pause) {}

    /**
     * @param overdueSeconds     how long the oldest due delivery of an endpoint that does not fail has waited
     * @param triedMerchants     of the last hours
     * @param unreachedMerchants of these, those all of whose endpoints fail
     */
    record Backlog(long waiting, long dead, double overdueSeconds, long failingEndpoints, long disabledEndpoints, long triedMerchants,
            long unreachedMerchants) {

        static final Backlog EMPTY = new Backlog(0, 0, 0, 0, 0, 0, 0);
    }

    private final Database database;

    DeliveryTable(Database database) {
        this.database = database;
    }

    private static final String CLAIM = """
            WITH due AS (
                SELECT webhook_id, endpoint.url
                  FROM (SELECT endpoint_id, url, failing_since IS NOT NULL AS failing,
                               count(*) OVER (PARTITION BY merchant_id) AS siblings
                          FROM webhook_endpoint
                         WHERE disabled_by IS NULL AND (failing_since IS NOT NULL OR endpoint_id = ANY (?::text[])) = ?
                         ORDER BY endpoint_id <= ?, endpoint_id) AS endpoint
                  LEFT JOIN unnest(?::text[], ?::int[]) AS busy (endpoint_id, in_flight) USING (endpoint_id)
                 CROSS JOIN LATERAL (
                       SELECT webhook_id FROM webhook_delivery AS delivery
                        WHERE delivery.endpoint_id = endpoint.endpoint_id AND state = 'waiting' AND due_at <= now()
                          AND (claimed_until IS NULL OR claimed_until <= now())
                        ORDER BY due_at, webhook_id
                        LIMIT greatest(least(CASE WHEN failing THEN 1 ELSE ? END, ceil(?::numeric / siblings)::int)
                                       - coalesce(in_flight, 0), 0)
                          FOR UPDATE SKIP LOCKED) AS found
                 LIMIT ?
            )
            UPDATE webhook_delivery AS delivery SET attempts = attempts + 1, fence = fence + 1,
                   claimed_until = now() + ? * interval '1 millisecond'
              FROM due WHERE delivery.webhook_id = due.webhook_id
            RETURNING delivery.webhook_id, endpoint_id, url, body, attempts, fence,
                      ARRAY(SELECT sealed_secret FROM webhook_secret AS secret
                             WHERE secret.endpoint_id = delivery.endpoint_id AND (expires_at IS NULL OR expires_at > now())
                             ORDER BY secret.created_at DESC)
            """;

    /**
     * Claims deliveries that are due. If their process dies, they are due again when the claim ends.
     *
     * @param slow        endpoints that this process has met as slow: they are held back like failing ones
     * @param after       the endpoint at which the last claim stopped, so that endpoints take turns
     * @param inFlight    how many tries of an endpoint this process has under way
     * @param perEndpoint how many it may have, if it does not fail
     * @param perMerchant how many all endpoints of one merchant in this lane may have; each gets an equal part of it
     */
    List<Delivery> claim(Lane lane, Set<String> slow, String after, Map<String, Integer> inFlight, int perEndpoint, int perMerchant,
                         int most, Duration claim) {
        List<Map.Entry<String, Integer>> busy = List.copyOf(inFlight.entrySet());
        return database.inTransaction(connection -> {
            try (var statement = connection.prepareStatement(CLAIM)) {
                statement.setArray(1, connection.createArrayOf("text", slow.toArray()));
                statement.setBoolean(2, lane == Lane.HELD_BACK);
                statement.setString(3, after);
                statement.setArray(4, connection.createArrayOf("text", busy.stream().map(Map.Entry::getKey).toArray()));
                statement.setArray(5, connection.createArrayOf("int4", busy.stream().map(Map.Entry::getValue).toArray()));
                statement.setInt(6, perEndpoint);
                statement.setInt(7, perMerchant);
                statement.setInt(8, most);
                statement.setLong(9, claim.toMillis());
                try (var row = statement.executeQuery()) {
                    var claimed = new ArrayList<Delivery>();
                    while (row.next()) {
                        claimed.add(delivery(row));
                    }
                    return claimed;
                }
            }
        });
    }

    private static Delivery delivery(ResultSet row) throws SQLException {
        var secrets = (Object[]) row.getArray(7).getArray();
        return new Delivery(row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getInt(5), row.getLong(6),
                Arrays.stream(secrets).map(byte[].class::cast).toList());
    }

    private static final String RECORD = """
            UPDATE webhook_delivery AS delivery
               SET state = tried.state, attempts = greatest(attempts - tried.uncounted, 0), last_status = tried.status,
                   last_error = tried.error,
                   due_at = now() + tried.pause_ms * interval '1 millisecond', claimed_until = NULL,
                   ended_at = CASE WHEN tried.state <> 'waiting' THEN now() END
              FROM unnest(?::text[], ?::bigint[], ?::text[], ?::int[], ?::int[], ?::text[], ?::bigint[])
                AS tried (webhook_id, fence, state, uncounted, status, error, pause_ms)
             WHERE delivery.webhook_id = tried.webhook_id
               -- A later claim decides, unless this try has delivered. If it was redelivered meanwhile, it is sent once more.
               AND (delivery.state = 'waiting' AND delivery.fence = tried.fence
                    OR tried.state = 'delivered' AND delivery.state <> 'delivered' AND delivery.attempts > 0)
            RETURNING delivery.webhook_id
            """;
    private static final String ENDPOINT_FAILED = """
            UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()), failed_at = now() WHERE endpoint_id = ANY (?)
            """;
    private static final String ENDPOINT_IS_WELL = """
            UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL
             WHERE endpoint_id = ANY (?) AND failing_since IS NOT NULL
            """;

    private static final String ENDPOINT_IS_GONE = "SELECT disable_gone_endpoints(?)";
    private static final int GONE = 410;

    /** Within the caller's transaction. Repeating it is harmless. */
    static void record(Connection connection, List<Tried> tries) throws SQLException {
        // In one order in each process, so that no two wait for each other's rows.
        var counted = new HashSet<String>();
        List<Tried> ordered = tries.stream().sorted(Comparator.comparing(tried -> tried.delivery.webhookId())).toList();
        try (var statement = connection.prepareStatement(RECORD)) {
            Columns.of(ordered, statement)
                    .with("text", tried -> tried.delivery.webhookId())
                    .with("int8", tried -> tried.delivery.fence())
                    .with("text", Tried::state)
                    .with("int4", tried -> tried.answer instanceof Answer.NotSent ? 1 : 0)
                    .with("int4", tried -> tried.answer.httpStatus().isPresent() ? tried.answer.httpStatus().getAsInt() : null)
                    .with("text", tried -> tried.answer.why().orElse(null))
                    .with("int8", tried -> tried.pause.toMillis());
            statement.execute();
            try (var row = statement.getResultSet()) {
                while (row.next()) {
                    counted.add(row.getString(1));
                }
            }
        }
        List<String> well = endpoints(tries, Answer.Delivered.class);
        // What an outdated try says about a failure does not count, for the endpoint neither.
        List<Tried> failed = tries.stream().filter(tried -> counted.contains(tried.delivery.webhookId())).toList();
        touch(connection, ENDPOINT_IS_WELL, well);
        // One success among failures of a batch is enough: the endpoint lives.
        touch(connection, ENDPOINT_FAILED, endpoints(failed, Answer.Failed.class).stream().filter(id -> !well.contains(id)).toList());
        touch(connection, ENDPOINT_IS_GONE, failed.stream().filter(tried -> tried.answer.httpStatus().equals(OptionalInt.of(GONE)))
                .map(tried -> tried.delivery.endpoint()).distinct().sorted().toList());
    }

    private static List<String> endpoints(List<Tried> tries, Class<? extends Answer> answered) {
        return tries.stream().filter(tried -> answered.isInstance(tried.answer)).map(tried -> tried.delivery.endpoint()).distinct()
                .sorted().toList();
    }

    private static void touch(Connection connection, String sql, List<String> endpoints) throws SQLException {
        if (endpoints.isEmpty()) {
            return;
        }
        Sql.call(connection, sql, endpoints);
    }

    private static final String DISABLE = "SELECT disable_failing_endpoints(? * interval '1 millisecond')";

    /** Returns the endpoints that were disabled. */
    List<String> disableFailing(Duration failing) {
        return database.inTransaction(connection -> Sql.all(connection, DISABLE, row -> row.getString(1), failing.toMillis()));
    }

    private static final String END = "SELECT end_webhooks_of_disabled(?)";

    int endOfDisabled(int most) {
        return database.inTransaction(connection -> Sql.one(connection, END, row -> row.getInt(1), most));
    }

    private static final String FORGET = "SELECT forget_webhooks(? * interval '1 millisecond', ?)";

    int forget(Duration kept, int most) {
        return database.inTransaction(connection -> Sql.one(connection, FORGET, row -> row.getInt(1), kept.toMillis(), most));
    }

    private static final String BACKLOG = """
            SELECT (SELECT count(*) FROM (SELECT FROM webhook_delivery WHERE state = 'waiting' LIMIT 100000) AS few),
                   (SELECT count(*) FROM (SELECT FROM webhook_delivery WHERE state = 'dead' LIMIT 100000) AS few),
                   (SELECT coalesce(extract(epoch FROM now() - min(oldest)), 0)
                      FROM webhook_endpoint AS endpoint
                     CROSS JOIN LATERAL (SELECT due_at FROM webhook_delivery AS delivery
                                          WHERE delivery.endpoint_id = endpoint.endpoint_id AND state = 'waiting' AND due_at <= now()
                                            AND (claimed_until IS NULL OR claimed_until <= now())
                                          ORDER BY due_at LIMIT 1) AS due (oldest)
                     WHERE disabled_by IS NULL AND failing_since IS NULL),
                   (SELECT count(*) FROM webhook_endpoint WHERE failing_since IS NOT NULL AND disabled_by IS NULL),
                   (SELECT count(*) FROM webhook_endpoint WHERE disabled_by = 'failing'),
                   -- Six hours: in a quiet night the few that fail and are tried again must not be more than half.
                   tried, unreached
              FROM merchants_reached(now() - interval '6 hours')
            """;

    Backlog backlog() {
        return database.withConnection(connection -> Sql.one(connection, BACKLOG, row -> new Backlog(row.getLong(1), row.getLong(2),
                row.getDouble(3), row.getLong(4), row.getLong(5), row.getLong(6), row.getLong(7))));
    }

    private static final String PING = """
            SELECT current_setting('synchronous_commit') = 'off' FROM (SELECT count(*) FROM webhook_endpoint) AS readable
            """;

    /** What keeps this process from working with Postgres, in one line; empty if nothing does. */
    Optional<String> problem() {
        try {
            boolean risky = database.withConnection(connection -> Sql.one(connection, PING, row -> row.getBoolean(1)));
            return risky ? Optional.of("Postgres may lose commits in a crash: set synchronous_commit to on") : Optional.empty();
        } catch (DatabaseUnavailable | DatabaseRefused e) {
            return Optional.of(e.getMessage());
        }
    }
}
