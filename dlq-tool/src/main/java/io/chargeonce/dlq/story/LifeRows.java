// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.query.Mask;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads what each table of the ledger has about one operation. */
final class LifeRows {

    private LifeRows() {}

    /** Both halves have an index of their own. */
    private static final String ATTEMPTS = """
            SELECT psp_key, sequence, generation, psp, sent_at, key_valid_until, sends
              FROM operation JOIN payment_attempt USING (payment_id, operation_id)
             WHERE operation_id = ? AND NOT failed_definite
             UNION ALL
            SELECT psp_key, sequence, generation, psp, sent_at, key_valid_until, sends
              FROM operation JOIN payment_attempt USING (payment_id, operation_id)
             WHERE operation_id = ? AND failed_definite
            """;

    private static final String SENT =
            "SELECT sent_at, sequence, generation, psp, psp_key, key_valid_until, sends FROM (" + ATTEMPTS + ") AS attempt";

    static List<Moment> attempts(Connection connection, String id) throws SQLException {
        return Sql.all(connection, SENT, row -> new Moment.Sent(Sql.instant(row, 1), row.getInt(2), row.getInt(3),
                row.getString(4), row.getString(5), Sql.instant(row, 6), row.getInt(7)), id, id);
    }

    private static final String ANSWERS = """
            SELECT observed_at, sequence, psp, source, outcome, observation.cause, detail, observation.psp_reference
              FROM (\
            """ + ATTEMPTS + ") AS attempt JOIN psp_answer AS observation USING (psp_key)";

    static List<Moment> answers(Connection connection, String id) throws SQLException {
        return Sql.all(connection, ANSWERS, row -> new Moment.Heard(Sql.instant(row, 1), row.getInt(2), row.getString(3),
                row.getString(4), row.getString(5), text(row, 6), masked(row, 7), text(row, 8)), id, id);
    }

    /**
     * A counted failure waits in the tier whose number is that of the counted failures so far. So it counts no more if the next one waits
     * in the same tier, or if fewer are counted now.
     */
    private static final String WAITS = """
            SELECT began_at, visit.tier, visit.state = 'parked', waits, cause, due_at,
                   visit.tier < coalesce(lead(visit.tier) OVER (PARTITION BY visit.generation, visit.state = 'scheduled' AND visit.tier > 0
                                                                ORDER BY visit.step),
                                         CASE WHEN visit.generation = its.generation THEN its.counted_attempts ELSE visit.tier END + 1)
              FROM tier_visit AS visit JOIN operation_state AS its USING (operation_id) WHERE operation_id = ?
            """;

    static List<Moment> waits(Connection connection, String id) throws SQLException {
        return Sql.all(connection, WAITS, row -> new Moment.Waited(Sql.instant(row, 1), row.getInt(2), row.getBoolean(3),
                !row.getBoolean(3) && row.getBoolean(7), row.getInt(4), text(row, 5), Sql.instant(row, 6)), id);
    }

    private static final String DEATHS = """
            SELECT at, audit_detail(data, 'why'), CASE WHEN audit_id = max(audit_id) OVER () THEN message END
              FROM audit_record JOIN dead_letter ON dead_letter_id = resource_id
             WHERE resource_id = ? AND action = 'dead_letter.entered'
            """;

    static List<Moment> deaths(Connection connection, String id) throws SQLException {
        return Sql.all(connection, DEATHS, row -> new Moment.Died(Sql.instant(row, 1), row.getString(2), masked(row, 3), Optional.empty()),
                id);
    }

    private static final String GIVEN_BACK = """
            SELECT accepted_at, operation_id, kind, amount, currency, state FROM operation_now WHERE payment_id = ? AND kind <> 'charge'
            """;

    static List<Moment> givenBack(Connection connection, String id) throws SQLException {
        return Sql.all(connection, GIVEN_BACK, row -> new Moment.GaveBack(Sql.instant(row, 1), row.getString(2), row.getString(3),
                new Money(row.getLong(4), row.getString(5)), row.getString(6)), id);
    }

    private static final String RECEIPTS = """
            SELECT coalesce(ended_at, due_at), receipt_id, kind, state, attempts, concat_ws(' ', last_status, last_error) FROM receipt
             WHERE payment_id = ? OR operation_id = ?
            """;

    /** Of a payment also those of its refunds. */
    static List<Moment> receipts(Connection connection, String id) throws SQLException {
        return Sql.all(connection, RECEIPTS, row -> new Moment.Mailed(Sql.instant(row, 1), row.getString(2), row.getString(3),
                row.getString(4), row.getInt(5), text(row, 6).filter(error -> !error.isEmpty())), id, id);
    }

    private static final String WEBHOOKS = """
            SELECT coalesce(ended_at, due_at), webhook_id, event_type, endpoint_id, state, attempts, last_error FROM webhook_delivery
             WHERE payment_id = ?
             UNION ALL
            SELECT coalesce(ended_at, due_at), webhook_id, event_type, endpoint_id, delivery.state, attempts, last_error
              FROM operation JOIN webhook_delivery AS delivery USING (payment_id)
             WHERE operation_id = ? AND operation_id <> payment_id
               AND webhook_id IN (SELECT webhook_id_of(endpoint_id, operation_id || '/' || life_of(accepted_at) || '/' || state)
                                    FROM unnest(ARRAY['succeeded', 'failed', 'declined', 'purged', 'canceled']) AS ended (state))
            """;

    /** Of a payment also those about its refunds. What another operation's are about, only their ids tell. */
    static List<Moment> webhooks(Connection connection, String id) throws SQLException {
        return Sql.all(connection, WEBHOOKS, row -> new Moment.Notified(Sql.instant(row, 1), row.getString(2), row.getString(3),
                row.getString(4), row.getString(5), row.getInt(6), text(row, 7)), id, id);
    }

    /** Without those that the other moments show already. */
    private static final String DEEDS = """
            SELECT at, actor, action,
                   coalesce(CASE WHEN action = 'dlq.settlement_proposed'
                                 THEN concat_ws(', ', replace(audit_detail(data, 'verdict'), '_', ' '),
                                                nullif(audit_detail(data, 'psp_reference'), ''), reason) END,
                            reason, audit_detail(data, 'why')), audit_detail(data, 'run') FROM audit_record
             WHERE resource_id = ? AND action NOT IN ('payment.accepted', 'dead-lettered', 'dead_letter.entered') ORDER BY audit_id
            """;

    static List<Moment> deeds(Connection connection, String id) throws SQLException {
        return Sql.all(connection, DEEDS, row -> new Moment.Deed(Sql.instant(row, 1), row.getString(2), row.getString(3),
                text(row, 4), text(row, 5)), id);
    }

    /** What others answered may quote what was sent to them. */
    private static Optional<String> masked(ResultSet result, int column) throws SQLException {
        return text(result, column).map(Mask::personal);
    }

    private static Optional<String> text(ResultSet result, int column) throws SQLException {
        return Optional.ofNullable(result.getString(column));
    }
}
