// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.dlq.query.Mask;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what each table of the ledger has about one operation. */
final class LifeRows {

    private interface Row {
        Moment read(ResultSet result) throws SQLException;
    }

    private LifeRows() {}

    /** Both halves have an index of their own. */
    private static final String ATTEMPTS = """
            SELECT attempt.* FROM operation JOIN payment_attempt AS attempt USING (payment_id, operation_id)
             WHERE operation_id = ? AND NOT failed_definite
             UNION ALL
            SELECT attempt.* FROM operation JOIN payment_attempt AS attempt USING (payment_id, operation_id)
             WHERE operation_id = ? AND failed_definite
            """;

    private static final String SENT =
            "SELECT sent_at, sequence, generation, psp, psp_key, key_valid_until FROM (" + ATTEMPTS + ") AS attempt";

    static List<Moment> attempts(Connection connection, String id) throws SQLException {
        return query(connection, SENT, id, result -> new Moment.Sent(at(result, 1), result.getInt(2), result.getInt(3),
                result.getString(4), result.getString(5), at(result, 6)));
    }

    private static final String ANSWERS = """
            SELECT observed_at, sequence, psp, source, outcome, observation.cause, detail, observation.psp_reference
              FROM (\
            """ + ATTEMPTS + ") AS attempt JOIN psp_answer AS observation USING (psp_key)";

    static List<Moment> answers(Connection connection, String id) throws SQLException {
        return query(connection, ANSWERS, id, result -> new Moment.Heard(at(result, 1), result.getInt(2), result.getString(3),
                result.getString(4), result.getString(5), text(result, 6), masked(result, 7), text(result, 8)));
    }

    private static final String WAITS = """
            SELECT began_at, tier, state = 'parked', waits, cause, due_at FROM tier_visit WHERE operation_id = ?
            """;

    static List<Moment> waits(Connection connection, String id) throws SQLException {
        return query(connection, WAITS, id, result -> new Moment.Waited(at(result, 1), result.getInt(2), result.getBoolean(3),
                result.getInt(4), text(result, 5), at(result, 6)));
    }

    private static final String DEATHS = """
            SELECT at, audit_detail(data, 'why'), CASE WHEN audit_id = max(audit_id) OVER () THEN message END
              FROM audit_record JOIN dead_letter ON dead_letter_id = resource_id
             WHERE resource_id = ? AND action = 'dead_letter.entered'
            """;

    static List<Moment> deaths(Connection connection, String id) throws SQLException {
        return query(connection, DEATHS, id, result -> new Moment.Died(at(result, 1), result.getString(2), masked(result, 3)));
    }

    private static final String GIVEN_BACK = """
            SELECT accepted_at, operation_id, kind, amount, currency, state FROM operation_now WHERE payment_id = ? AND kind <> 'charge'
            """;

    static List<Moment> givenBack(Connection connection, String id) throws SQLException {
        return query(connection, GIVEN_BACK, id, result -> new Moment.GaveBack(at(result, 1), result.getString(2), result.getString(3),
                new Money(result.getLong(4), result.getString(5)), result.getString(6)));
    }

    private static final String RECEIPTS = """
            SELECT coalesce(ended_at, due_at), receipt_id, kind, state, attempts, concat_ws(' ', last_status, last_error) FROM receipt
             WHERE payment_id = ? OR operation_id = ?
            """;

    /** Of a payment also those of its refunds. */
    static List<Moment> receipts(Connection connection, String id) throws SQLException {
        return query(connection, RECEIPTS, id, result -> new Moment.Mailed(at(result, 1), result.getString(2), result.getString(3),
                result.getString(4), result.getInt(5), text(result, 6).filter(error -> !error.isEmpty())));
    }

    private static final String WEBHOOKS = """
            SELECT coalesce(ended_at, due_at), webhook_id, event_type, endpoint_id, state, attempts, last_error FROM webhook_delivery
             WHERE payment_id = ?
             UNION ALL
            SELECT coalesce(ended_at, due_at), webhook_id, event_type, endpoint_id, delivery.state, attempts, last_error
              FROM operation JOIN webhook_delivery AS delivery USING (payment_id)
             WHERE operation_id = ? AND operation_id <> payment_id
               AND webhook_id IN (SELECT webhook_id_of(endpoint_id, operation_id || '/' || life_of(accepted_at) || '/' || state)
                                    FROM unnest(ARRAY['succeeded', 'failed', 'declined', 'purged']) AS ended (state))
            """;

    /** Of a payment also those about its refunds. What another operation's are about, only their ids tell. */
    static List<Moment> webhooks(Connection connection, String id) throws SQLException {
        return query(connection, WEBHOOKS, id, result -> new Moment.Notified(at(result, 1), result.getString(2), result.getString(3),
                result.getString(4), result.getString(5), result.getInt(6), text(result, 7)));
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
        return query(connection, DEEDS, id, result -> new Moment.Deed(at(result, 1), result.getString(2), result.getString(3),
                text(result, 4), text(result, 5)));
    }

    private static List<Moment> query(Connection connection, String sql, String id, Row row) throws SQLException {
        var moments = new ArrayList<Moment>();
        try (var statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
                statement.setString(i, id);
            }
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    moments.add(row.read(result));
                }
            }
        }
        return moments;
    }

    private static Instant at(ResultSet result, int column) throws SQLException {
        return result.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** What others answered may quote what was sent to them. */
    private static Optional<String> masked(ResultSet result, int column) throws SQLException {
        return text(result, column).map(Mask::personal);
    }

    private static Optional<String> text(ResultSet result, int column) throws SQLException {
        return Optional.ofNullable(result.getString(column));
    }
}
