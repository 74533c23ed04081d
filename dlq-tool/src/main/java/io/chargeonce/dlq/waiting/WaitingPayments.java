// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.waiting;

import io.chargeonce.database.Database;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what waits in the tiers, and for its next presentation if the filter says so. Changes nothing. */
public final class WaitingPayments {

    /**
     * Payments that wait alike.
     *
     * @param psp     the PSPs that it waits for, with commas between them
     * @param first   how long until the first of them is due; negative once it is
     * @param last    how long until the last of them is due
     * @param firstAt when the first of them is due
     */
    public record Group(int tier, String state, String cause, Optional<String> psp, Sum sum, Duration first, Duration last,
            Instant firstAt) {

        public List<String> psps() {
            return psp.map(names -> List.of(names.split(", "))).orElse(List.of());
        }
    }

    /** Where a page ends. */
    public record Position(Instant dueAt, String id) {

        public static Position of(WaitingPayment payment) {
            return new Position(payment.dueAt(), payment.id());
        }
    }

    /**
     * Declined cards that wait for their next presentation, in no tier.
     *
     * @param first how long until the first presentation
     */
    public record Presentations(long count, Duration first) {}

    private WaitingPayments() {}

    /** What waits since before a moment, so that a payment which waits again is not met twice. */
    private static final String WAITING = """
              FROM waiting JOIN operation_state AS its USING (operation_id) JOIN operation USING (operation_id)
             CROSS JOIN (SELECT ?::text[] AS ids, ?::text AS cause, ?::text AS psp, ?::text AS merchant, ?::int AS tier, ?::text AS \
            currency,
                                ?::text AS key, ?::text AS reference, ?::text AS customer, ?::text AS psp_reference,
                                ?::boolean AS presentations, ?::timestamptz AS as_of) AS wanted
             WHERE (list = 'work' AND its.state IN ('scheduled', 'parked') AND its.represent_at IS NULL
                    OR wanted.presentations AND list = 'presentation' AND its.represent_at IS NOT NULL)
               AND its.staged_at <= wanted.as_of
               AND (wanted.ids IS NULL OR operation_id = ANY (wanted.ids))
               AND (wanted.cause IS NULL OR its.failure_cause = wanted.cause)
               AND (wanted.psp IS NULL OR wanted.psp = ANY (psps_awaited(its)))
               AND (wanted.merchant IS NULL OR operation.merchant_id = wanted.merchant)
               AND (wanted.tier IS NULL OR its.tier = wanted.tier)
               AND (wanted.currency IS NULL OR operation.currency = wanted.currency)
               AND (wanted.key IS NULL OR operation.idempotency_key = wanted.key)
               AND (wanted.reference IS NULL OR operation.reference = wanted.reference)
               AND (wanted.customer IS NULL OR operation.customer = wanted.customer)
               AND (wanted.psp_reference IS NULL
                    OR EXISTS (SELECT FROM payment_attempt AS tried
                                WHERE tried.payment_id = operation.payment_id AND tried.operation_id = operation.operation_id
                                  AND tried.failed_definite AND wanted.psp_reference IN (tried.psp_reference, tried.psp_key)))
            """;
    private static final int CONDITIONS = 12;

    /** By the database's clock. */
    public static Instant now(DeadLetterQueue queue) {
        return queue.database().withConnection(Database::now);
    }

    private static final String GROUPS = """
            SELECT its.tier, its.state, coalesce(its.failure_cause, ''), nullif(array_to_string(psps_awaited(its), ', '), ''),
                   operation.currency, count(*), sum(operation.amount),
                   (extract(epoch FROM min(its.not_before) - clock_timestamp()) * 1000)::bigint,
                   (extract(epoch FROM max(its.not_before) - clock_timestamp()) * 1000)::bigint, min(its.not_before)
            """ + WAITING + " GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

    /** One for each currency too; by tier. */
    public static List<Group> groups(DeadLetterQueue queue, WaitingFilter filter, Instant asOf) {
        return queue.database().withConnection(connection -> {
            try (var statement = connection.prepareStatement(GROUPS)) {
                bind(statement, filter, asOf);
                var groups = new ArrayList<Group>();
                try (var row = statement.executeQuery()) {
                    while (row.next()) {
                        groups.add(new Group(row.getInt(1), row.getString(2), row.getString(3), Optional.ofNullable(row.getString(4)),
                                Sum.ofRow(row.getString(5), row.getLong(6), row.getLong(7)), Duration.ofMillis(row.getLong(8)),
                                Duration.ofMillis(row.getLong(9)), row.getObject(10, OffsetDateTime.class).toInstant()));
                    }
                }
                return groups;
            }
        });
    }

    /**
     * What would be too late for them.
     *
     * @param expiring      those that must be charged before a time
     * @param firstDeadline the earliest deadline of all
     */
    public record Deadlines(Sum sum, Sum expiring, Optional<Instant> firstDeadline) {}

    private static final String DEADLINES = """
            SELECT currency, count(*), sum(amount), count(*) FILTER (WHERE charge_before < until),
                   coalesce(sum(amount) FILTER (WHERE charge_before < until), 0), min(charge_before)
              FROM (SELECT operation.currency, operation.amount, its.charge_before
            """ + WAITING + """
                   ) AS waits
             CROSS JOIN (SELECT coalesce(?::timestamptz, clock_timestamp() + interval '24 hours') AS until) AS ends
             GROUP BY currency
            """;
    /** Also what began to wait just now. */
    private static final Instant EVER = Instant.parse("9999-12-31T00:00:00Z");

    /** All that wait, and those whose deadline is before then, or within a day if there is no such time. */
    public static Deadlines deadlines(Connection connection, WaitingFilter filter, Optional<Instant> until) throws SQLException {
        Sum sum = Sum.NOTHING;
        Sum expiring = Sum.NOTHING;
        Optional<Instant> first = Optional.empty();
        try (var statement = connection.prepareStatement(DEADLINES)) {
            bind(statement, filter, EVER);
            setTime(statement, CONDITIONS + 1, until);
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    sum = sum.plus(Sum.ofRow(row.getString(1), row.getLong(2), row.getLong(3)));
                    expiring = row.getLong(4) == 0 ? expiring
                            : expiring.plus(Sum.ofRow(row.getString(1), row.getLong(4), row.getLong(5)));
                    Instant deadline = row.getObject(6, OffsetDateTime.class).toInstant();
                    first = first.filter(known -> known.isBefore(deadline)).or(() -> Optional.of(deadline));
                }
            }
        }
        return new Deadlines(sum, expiring, first);
    }

    private static final String PAGE = """
            SELECT operation_id, operation.kind, operation.merchant_id, operation.amount, operation.currency, its.state, its.tier,
                   coalesce(its.failure_cause, ''), coalesce(its.failure_message, ''),
                   nullif(array_to_string(psps_awaited(its), ', '), ''), its.sequence, its.step, its.not_before,
                   (extract(epoch FROM its.not_before - clock_timestamp()) * 1000)::bigint
            """ + WAITING + """
               AND (?::timestamptz IS NULL OR (its.not_before, operation_id) > (?::timestamptz, ?::text))
             ORDER BY its.not_before, operation_id LIMIT ?
            """;

    /** What is due first comes first. */
    public static List<WaitingPayment> page(DeadLetterQueue queue, WaitingFilter filter, Instant asOf, Optional<Position> after,
                                            int limit) {
        return queue.database().withConnection(connection -> page(connection, filter, asOf, after, limit));
    }

    private static List<WaitingPayment> page(Connection connection, WaitingFilter filter, Instant asOf, Optional<Position> after, int limit)
            throws SQLException {
        try (var statement = connection.prepareStatement(PAGE)) {
            bind(statement, filter, asOf);
            setTime(statement, CONDITIONS + 1, after.map(Position::dueAt));
            setTime(statement, CONDITIONS + 2, after.map(Position::dueAt));
            statement.setString(CONDITIONS + 3, after.map(Position::id).orElse(null));
            statement.setInt(CONDITIONS + 4, limit);
            var payments = new ArrayList<WaitingPayment>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    payments.add(payment(row));
                }
            }
            return payments;
        }
    }

    private static WaitingPayment payment(ResultSet row) throws SQLException {
        return new WaitingPayment(row.getString(1), row.getString(2), row.getString(3), new Money(row.getLong(4), row.getString(5)),
                row.getString(6), row.getInt(7), row.getString(8), row.getString(9), Optional.ofNullable(row.getString(10)),
                row.getInt(11), row.getInt(12), row.getObject(13, OffsetDateTime.class).toInstant(), Duration.ofMillis(row.getLong(14)));
    }

    private static final String PRESENTATIONS = """
            SELECT count(*), coalesce((extract(epoch FROM min(due_at) - clock_timestamp()) * 1000)::bigint, 0)
              FROM waiting WHERE list = 'presentation'
            """;

    public static Presentations presentations(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> {
            try (var statement = connection.prepareStatement(PRESENTATIONS); var row = statement.executeQuery()) {
                row.next();
                return new Presentations(row.getLong(1), Duration.ofMillis(row.getLong(2)));
            }
        });
    }

    private static void bind(PreparedStatement statement, WaitingFilter filter, Instant asOf) throws SQLException {
        statement.setArray(1, filter.ids().isEmpty() ? null
                : statement.getConnection().createArrayOf("text", filter.ids().get().toArray()));
        statement.setString(2, filter.cause().orElse(null));
        statement.setString(3, filter.psp().orElse(null));
        statement.setString(4, filter.merchant().orElse(null));
        statement.setObject(5, filter.tier().orElse(null), Types.INTEGER);
        statement.setString(6, filter.currency().orElse(null));
        statement.setString(7, filter.names().key().orElse(null));
        statement.setString(8, filter.names().reference().orElse(null));
        statement.setString(9, filter.names().customer().orElse(null));
        statement.setString(10, filter.names().pspReference().orElse(null));
        statement.setBoolean(11, filter.presentations());
        setTime(statement, CONDITIONS, Optional.of(asOf));
    }

    private static void setTime(PreparedStatement statement, int parameter, Optional<Instant> time) throws SQLException {
        statement.setObject(parameter, time.map(at -> at.atOffset(ZoneOffset.UTC)).orElse(null), Types.TIMESTAMP_WITH_TIMEZONE);
    }
}
