// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.waiting;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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
     * Declined payments that wait in no tier: for their next presentation, or for the end by their decline.
     *
     * @param first how long until the first is due
     */
    public record Presentations(long count, Duration first) {}

    private WaitingPayments() {}

    /** What waits, whatever the moment. */
    public static final String WAITS = """
              FROM waiting JOIN operation_state AS its USING (operation_id) JOIN operation USING (operation_id)
             CROSS JOIN (SELECT ?::text[] AS ids, ?::text AS cause, ?::text AS psp, ?::text AS merchant, ?::int AS tier, ?::text AS \
            currency,
                                ?::text AS key, ?::text AS reference, ?::text AS customer, ?::text AS psp_reference,
                                ?::boolean AS presentations, ?::timestamptz AS as_of) AS wanted
             WHERE (list = 'work' AND its.state IN ('scheduled', 'parked') AND its.represent_at IS NULL
                    OR wanted.presentations AND list = 'presentation' AND its.represent_at IS NOT NULL)
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
    /** What waits since before a moment, so that a list does not meet a payment twice which waits again. */
    private static final String WAITING = WAITS + " AND its.staged_at <= wanted.as_of\n";

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
        return queue.database().withConnection(connection -> Sql.all(connection, GROUPS, row -> new Group(row.getInt(1), row.getString(2),
                row.getString(3), Optional.ofNullable(row.getString(4)), Sum.ofRow(row.getString(5), row.getLong(6), row.getLong(7)),
                Duration.ofMillis(row.getLong(8)), Duration.ofMillis(row.getLong(9)), Sql.instant(row, 10)), values(filter, asOf)));
    }

    /**
     * What would be too late for them.
     *
     * @param expiring      those that must be charged before a time
     * @param firstDeadline the earliest deadline of all
     */
    public record Deadlines(Sum sum, Sum expiring, Optional<Instant> firstDeadline) {

        private Deadlines plus(Deadlines more) {
            return new Deadlines(sum.plus(more.sum), expiring.plus(more.expiring),
                    Stream.of(firstDeadline, more.firstDeadline).flatMap(Optional::stream).min(Comparator.naturalOrder()));
        }
    }

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
        return Sql.all(connection, DEADLINES, row -> new Deadlines(Sum.ofRow(row.getString(1), row.getLong(2), row.getLong(3)),
                row.getLong(4) == 0 ? Sum.NOTHING : Sum.ofRow(row.getString(1), row.getLong(4), row.getLong(5)),
                Optional.of(Sql.instant(row, 6))), values(filter, EVER, until)).stream()
                .reduce(new Deadlines(Sum.NOTHING, Sum.NOTHING, Optional.empty()), Deadlines::plus);
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

    /** Those of them that still wait. */
    public static List<WaitingPayment> find(Connection connection, WaitingFilter filter) throws SQLException {
        return Sql.all(connection, PAGE, WaitingPayments::payment,
                values(filter, EVER, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
    }

    /** What is due first comes first. */
    public static List<WaitingPayment> page(DeadLetterQueue queue, WaitingFilter filter, Instant asOf, Optional<Position> after,
                                            int limit) {
        Optional<Instant> due = after.map(Position::dueAt);
        return queue.database().withConnection(connection -> Sql.all(connection, PAGE, WaitingPayments::payment,
                values(filter, asOf, due, due, after.map(Position::id), limit)));
    }

    private static WaitingPayment payment(ResultSet row) throws SQLException {
        return new WaitingPayment(row.getString(1), row.getString(2), row.getString(3), new Money(row.getLong(4), row.getString(5)),
                row.getString(6), row.getInt(7), row.getString(8), row.getString(9), Optional.ofNullable(row.getString(10)),
                row.getInt(11), row.getInt(12), Sql.instant(row, 13), Duration.ofMillis(row.getLong(14)));
    }

    private static final String PRESENTATIONS = """
            SELECT count(*), coalesce((extract(epoch FROM min(due_at) - clock_timestamp()) * 1000)::bigint, 0)
              FROM waiting WHERE list = 'presentation'
            """;

    public static Presentations presentations(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> Sql.one(connection, PRESENTATIONS,
                row -> new Presentations(row.getLong(1), Duration.ofMillis(row.getLong(2)))));
    }

    /** For the conditions of {@link #WAITS}, and for what follows them. */
    public static Object[] values(WaitingFilter filter, Instant asOf, Object... more) {
        var conditions = Stream.<Object>of(filter.ids(), filter.cause(), filter.psp(), filter.merchant(), filter.tier(), filter.currency(),
                filter.names().key(), filter.names().reference(), filter.names().customer(), filter.names().pspReference(),
                filter.presentations(), asOf);
        return Stream.concat(conditions, Stream.of(more)).toArray();
    }
}
