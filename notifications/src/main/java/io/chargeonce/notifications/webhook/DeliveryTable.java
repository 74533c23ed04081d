// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.MessageTable;
import io.chargeonce.notifications.Tried;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rows of deliveries: which are due, and how their tries went. Any thread. */
final class DeliveryTable extends MessageTable<Delivery> {

    /** Endpoints whose last try failed or took long have slots of their own, so that they delay no other. */
    enum Lane {
        SOUND, HELD_BACK
    }

    private static final Logger LOG = LoggerFactory.getLogger(DeliveryTable.class);
    private static final int GONE = 410;

    DeliveryTable(Database database) {
        super(database, WebhookService.CHANNEL);
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
        return database.inTransaction(connection -> Sql.all(connection, CLAIM, DeliveryTable::delivery, slow, lane == Lane.HELD_BACK, after,
                busy.stream().map(Map.Entry::getKey).toList(), busy.stream().map(endpoint -> "" + endpoint.getValue()).toList(),
                perEndpoint, perMerchant, most, claim.toMillis()));
    }

    private static Delivery delivery(ResultSet row) throws SQLException {
        var secrets = (Object[]) row.getArray(7).getArray();
        return new Delivery(row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getInt(5), row.getLong(6),
                Arrays.stream(secrets).map(byte[].class::cast).toList());
    }

    private static final String ENDPOINT_FAILED = """
            UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()), failed_at = now() WHERE endpoint_id = ANY (?)
            """;
    private static final String ENDPOINT_IS_WELL = "SELECT end_failure_of_endpoints(?)";

    private static final String ENDPOINT_IS_GONE = "SELECT disable_gone_endpoints(?)";

    @Override
    public Set<String> record(Connection connection, List<Tried<Delivery>> tries) throws SQLException {
        Set<String> counted = super.record(connection, tries);
        List<String> well = endpoints(tries.stream().filter(tried -> tried.answer().result() == Result.DELIVERED));
        // What an outdated try says about a failure does not count, for the endpoint neither.
        List<Tried<Delivery>> failed = tries.stream()
                .filter(tried -> tried.answer().result() == Result.FAILED && counted.contains(tried.message().id())).toList();
        touch(connection, ENDPOINT_IS_WELL, well);
        // One success among failures of a batch is enough: the endpoint lives.
        touch(connection, ENDPOINT_FAILED, endpoints(failed.stream().filter(tried -> !well.contains(tried.message().endpoint()))));
        touch(connection, ENDPOINT_IS_GONE, endpoints(failed.stream().filter(tried -> tried.answer().status().orElse(0) == GONE)));
        return counted;
    }

    private static List<String> endpoints(Stream<Tried<Delivery>> tries) {
        return tries.map(tried -> tried.message().endpoint()).distinct().sorted().toList();
    }

    private static void touch(Connection connection, String sql, List<String> endpoints) throws SQLException {
        if (!endpoints.isEmpty()) {
            Sql.call(connection, sql, endpoints);
        }
    }

    private static final String DISABLE = "SELECT disable_failing_endpoints(? * interval '1 millisecond')";

    /** Returns the endpoints that were disabled. */
    List<String> disableFailing(Duration failing) {
        List<String> disabled =
                database.inTransaction(connection -> Sql.all(connection, DISABLE, row -> row.getString(1), failing.toMillis()));
        // Postgres disables none while most merchants are not reached.
        disabled.forEach(endpoint -> LOG.error("Webhook endpoint {} was disabled: every try has failed for {}. Tell its merchant; "
                + "'chargeonce webhook enable {}' ends it", endpoint, failing, endpoint));
        return disabled;
    }

    private static final String END = "SELECT end_webhooks_of_disabled(?)";

    int endOfDisabled(int most) {
        return database.inTransaction(connection -> Sql.one(connection, END, row -> row.getInt(1), most));
    }

    private static final String BACKLOG = """
            SELECT (SELECT coalesce(extract(epoch FROM now() - min(oldest)), 0)
                      FROM webhook_endpoint AS endpoint
                     CROSS JOIN LATERAL (SELECT due_at FROM webhook_delivery AS delivery
                                          WHERE delivery.endpoint_id = endpoint.endpoint_id AND state = 'waiting' AND due_at <= now()
                                            AND (claimed_until IS NULL OR claimed_until <= now())
                                          ORDER BY due_at LIMIT 1) AS due (oldest)
                     WHERE disabled_by IS NULL AND failing_since IS NULL) AS "overdue.seconds",
                   (SELECT count(*) FROM webhook_endpoint WHERE failing_since IS NOT NULL AND disabled_by IS NULL) AS "endpoints.failing",
                   (SELECT count(*) FROM webhook_endpoint WHERE disabled_by = 'failing') AS "endpoints.disabled",
                   -- Six hours: in a quiet night the few that fail and are tried again must not be more than half.
                   tried AS "merchants.tried", unreached AS "merchants.unreached"
              FROM merchants_reached(now() - interval '6 hours')
            """;

    @Override
    protected Map<String, Double> more(Connection connection) throws SQLException {
        return Sql.one(connection, BACKLOG, MessageTable::byColumn);
    }
}
