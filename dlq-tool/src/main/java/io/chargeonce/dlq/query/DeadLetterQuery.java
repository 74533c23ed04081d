// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import static java.util.Comparator.naturalOrder;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.PurgedLetters;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads dead letters. The one place that derives a {@link MoneyStatus}. */
public final class DeadLetterQuery {

    /** How often one payment is merged without a person who names it, for it always dies. */
    public static final int MOST_MERGES = 5;

    /** The cause of what a person took out on purpose. */
    public static final String STOPPED = "stopped";

    /** Of a purged dead letter: as it was when it was purged. */
    public static final String STANDING = """
            CASE WHEN letter.operation_id IS NULL THEN CASE WHEN letter.sealed_edit IS NOT NULL THEN 'mended'
                                                             WHEN letter.target_topic = '' THEN 'no_target'
                                                             WHEN letter.target_topic IS NOT NULL THEN 'foreign' ELSE 'poison' END
                 WHEN known.attempt_state = 'succeeded' THEN 'charged'
                 WHEN known.attempt_state IS NOT NULL OR known.operation_state NOT IN ('dead', 'purged') THEN 'unresolved'
                 WHEN letter.cause = '%s' THEN 'stopped'
                 WHEN letter.generation > %d THEN 'needs_a_person'
                 WHEN letter.charge_before < clock_timestamp() THEN 'past_deadline'
                 ELSE 'rechargeable' END
            """.formatted(STOPPED, MOST_MERGES);

    /** Similar causes are one: unresolved payments by the reason, bugs by the place that threw, without numbers. */
    static final String ALIKE = """
            CASE WHEN letter.cause = 'unresolved' AND known.failure_cause IS NOT NULL THEN 'unresolved: ' || known.failure_cause
                 WHEN letter.cause = 'internal_error'
                      THEN 'internal_error: ' || left(regexp_replace(letter.message, '[0-9a-f]{8,}|[0-9]+', '#', 'g'), 60)
                 ELSE letter.cause END
            """;

    /**
     * What is known now of an attempt that was open when the payment died; by the index {@code one_open_attempt} there is
     * at most one. LIMIT keeps the planner from joining whole tables, so the others cost nothing.
     */
    private static final String LETTERS = """
              FROM dead_letter AS letter
              LEFT JOIN LATERAL (
                   SELECT operation.state AS operation_state, operation.failure_cause, attempt.state AS attempt_state,
                          attempt.psp_reference, attempt.key_valid_until
                     FROM operation_now AS operation
                     LEFT JOIN payment_attempt AS attempt
                            ON attempt.payment_id = operation.payment_id AND attempt.operation_id = operation.operation_id
                           AND NOT attempt.failed_definite
                    WHERE letter.had_open_attempt AND operation.operation_id = letter.operation_id
                    LIMIT 1) AS known ON true
            """;

    /** The planner sees the parameters as constants, so a condition that is not given costs nothing. */
    private static final String SELECTED = LETTERS + """
              CROSS JOIN (SELECT ?::text[] AS ids, ?::text AS cause, ?::text AS psp, ?::text AS merchant, ?::text AS text,
                                 ?::text AS standing, ?::timestamptz AS until, ?::timestamptz AS since,
                                 ?::text AS currency, ?::bigint AS at_least, ?::bigint AS at_most, ?::int AS tier,
                                 ?::int AS generation, ?::text AS run, ?::boolean AS died_again, ?::text AS key,
                                 ?::text AS reference, ?::text AS customer, ?::text AS psp_reference) AS wanted
             WHERE %s
               AND letter.died_at <= wanted.until
               AND (wanted.since IS NULL OR letter.died_at > wanted.since)
               AND (wanted.ids IS NULL OR letter.dead_letter_id = ANY (wanted.ids))
               AND (wanted.cause IS NULL OR letter.cause = wanted.cause OR wanted.cause =
            """ + ALIKE + """
                    )
               AND (wanted.psp IS NULL OR letter.psp = wanted.psp)
               AND (wanted.merchant IS NULL OR letter.merchant_id = wanted.merchant)
               AND (wanted.text IS NULL OR letter.dead_letter_id = wanted.text
                    OR position(lower(wanted.text) IN lower(letter.message)) > 0)
               AND (wanted.currency IS NULL OR letter.currency = wanted.currency)
               AND (wanted.at_least IS NULL OR letter.amount >= wanted.at_least)
               AND (wanted.at_most IS NULL OR letter.amount <= wanted.at_most)
               AND (wanted.tier IS NULL OR letter.tier = wanted.tier AND letter.operation_id IS NOT NULL)
               AND (wanted.generation IS NULL OR letter.generation = wanted.generation AND letter.operation_id IS NOT NULL)
               AND (wanted.run IS NULL OR %s)
               AND (coalesce(wanted.key, wanted.reference, wanted.customer) IS NULL OR EXISTS (
                        SELECT FROM operation AS its
                         WHERE its.operation_id = letter.operation_id AND (wanted.key IS NULL OR its.idempotency_key = wanted.key)
                           AND (wanted.reference IS NULL OR its.reference = wanted.reference)
                           AND (wanted.customer IS NULL OR its.customer = wanted.customer)))
               AND (wanted.psp_reference IS NULL
                    OR EXISTS (SELECT FROM payment_attempt AS its
                                WHERE its.payment_id = letter.payment_id AND its.operation_id = letter.operation_id
                                  AND NOT its.failed_definite AND wanted.psp_reference IN (its.psp_reference, its.psp_key))
                    OR EXISTS (SELECT FROM payment_attempt AS its
                                WHERE its.payment_id = letter.payment_id AND its.operation_id = letter.operation_id
                                  AND its.failed_definite AND wanted.psp_reference IN (its.psp_reference, its.psp_key)))
               AND (wanted.standing IS NULL OR wanted.standing =
            """ + STANDING + ")\n";

    /** How long a purge can be undone. */
    static final String RETENTION = "interval '" + PurgedLetters.KEPT.toDays() + " days'";

    /**
     * Of a run what was in its set, of an import what it took in. What a merge sent back left the queue, so what of that is in the queue
     * now has died again.
     */
    private static final String OF_RUN = """
            letter.dead_letter_id IN (SELECT item.dead_letter_id FROM dlq_run_item AS item
                                       WHERE item.run_id = wanted.run AND (NOT wanted.died_again OR item.fate = 'reentered'))
            OR NOT wanted.died_again AND letter.operation_id IS NULL AND EXISTS (
                   SELECT FROM audit_record AS deed
                    WHERE deed.resource_id = letter.dead_letter_id AND deed.action = 'dlq.imported'
                      AND audit_detail(deed.data, 'run') = wanted.run)
            """;

    /**
     * By its last change: what an earlier purge took out and a person brought back no longer belongs to that purge. Audit records
     * that were sealed before the retention of purges are not read.
     */
    private static final String OF_PURGE = """
            NOT wanted.died_again AND EXISTS (SELECT FROM audit_record AS deed
                     WHERE deed.audit_id > coalesce((SELECT to_id FROM audit_seal WHERE sealed_at < clock_timestamp() - interval '31 days'
                                                      ORDER BY sealed_at DESC LIMIT 1), 0)
                       AND deed.resource_id = letter.dead_letter_id AND deed.action = 'dlq.purged'
                       AND audit_detail(deed.data, 'run') = wanted.run AND audit_detail(deed.data, 'revision') = letter.revision::text)
            """;

    /** The FROM and WHERE clauses for dead letters in this place. */
    public static String selected(Selection.From from) {
        return switch (from) {
            case THE_QUEUE -> SELECTED.formatted("letter.state = 'dead'", OF_RUN);
            case THE_PURGED ->
                SELECTED.formatted("letter.state = 'purged' AND letter.changed_at > clock_timestamp() - " + RETENTION, OF_PURGE);
        };
    }

    private static final String COLUMNS = """
            SELECT letter.dead_letter_id, letter.operation_id, letter.merchant_id, letter.amount, letter.currency, letter.psp,
                   letter.state, letter.cause, letter.message, letter.generation, letter.revision, letter.died_at,
                   letter.changed_at, (extract(epoch FROM clock_timestamp() - letter.died_at) * 1000)::bigint AS age_ms,
                   known.psp_reference AS evidence, letter.tier, nullif(letter.target_topic, '') AS target,
            """ + STANDING + " AS standing\n";

    private DeadLetterQuery() {}

    private static final String NEWEST_FIRST = """
               AND (?::timestamptz IS NULL OR (letter.died_at, letter.dead_letter_id) < (?::timestamptz, ?::text))
             ORDER BY letter.died_at DESC, letter.dead_letter_id DESC LIMIT ?
            """;

    private static final String OLDEST_FIRST = """
               AND (?::timestamptz IS NULL OR (letter.died_at, letter.dead_letter_id) > (?::timestamptz, ?::text))
             ORDER BY letter.died_at, letter.dead_letter_id LIMIT ?
            """;

    private static final String LARGEST_FIRST = """
               AND (?::bigint IS NULL OR (coalesce(letter.amount, 0), letter.dead_letter_id) < (?::bigint, ?::text))
             ORDER BY coalesce(letter.amount, 0) DESC, letter.dead_letter_id DESC LIMIT ?
            """;

    /** The next of the selection after a position, or its first. */
    public static List<DeadLetterView> page(Connection connection, Selection selection, Order order,
                                            Optional<DeadLetterView.Position> after, int limit)
            throws SQLException {
        String sql = COLUMNS + selected(selection.from()) + switch (order) {
            case NEWEST_FIRST -> NEWEST_FIRST;
            case OLDEST_FIRST -> OLDEST_FIRST;
            case LARGEST_FIRST -> LARGEST_FIRST;
        };
        Optional<?> place = switch (order) {
            case NEWEST_FIRST, OLDEST_FIRST -> after.map(DeadLetterView.Position::diedAt);
            case LARGEST_FIRST -> after.map(DeadLetterView.Position::minorUnits);
        };
        return Sql.all(connection, sql, DeadLetterQuery::letter,
                values(selection, place, place, after.map(DeadLetterView.Position::id), limit));
    }

    private static final String FIND = COLUMNS + LETTERS + " WHERE letter.dead_letter_id = ANY (?)";

    /** These dead letters, those that have left the queue too. */
    public static List<DeadLetterView> find(Connection connection, Collection<String> ids) throws SQLException {
        return Sql.all(connection, FIND, DeadLetterQuery::letter, ids);
    }

    /** A number for each failure. The xor of a set's numbers tells whether two sets are equal. */
    public static final String FINGERPRINT =
            "hashtextextended(letter.dead_letter_id || '/' || letter.generation || '/' || extract(epoch FROM letter.died_at), 0)";

    /** For the conditions of {@link #selected}, which come first in every statement that has them, and for what follows them. */
    public static Object[] values(Selection selection, Object... more) {
        DeadLetterFilter filter = selection.filter();
        PaymentCriteria traits = filter.traits();
        Instant olderThan = filter.olderThan().map(selection.asOf()::minus).orElse(selection.asOf());
        // One includes its bound, the other does not; Postgres counts in microseconds.
        Optional<Instant> until = Stream.of(olderThan, filter.until().map(DeadLetterQuery::justBefore).orElse(olderThan))
                .min(naturalOrder());
        Optional<Instant> since = Stream
                .of(filter.newerThan().map(selection.asOf()::minus), filter.since().map(DeadLetterQuery::justBefore))
                .flatMap(Optional::stream).max(naturalOrder());
        var conditions = Stream.<Object>of(filter.ids(), filter.cause(), filter.psp(), filter.merchant(), filter.text(),
                filter.standing().map(MoneyStatus::tag), until, since, traits.currency(), traits.atLeast(), traits.atMost(), traits.tier(),
                traits.generation(), traits.run(), traits.diedAgain(), traits.names().key(), traits.names().reference(),
                traits.names().customer(),
                traits.names().pspReference());
        return Stream.concat(conditions, Stream.of(more)).toArray();
    }

    private static Instant justBefore(Instant time) {
        return time.minus(1, ChronoUnit.MICROS);
    }

    private static DeadLetterView letter(ResultSet result) throws SQLException {
        return new DeadLetterView(result.getString("dead_letter_id"), text(result, "operation_id"),
                text(result, "merchant_id"), money(result), text(result, "psp"), result.getString("state"),
                result.getString("cause"), result.getString("message"), result.getInt("generation"),
                result.getInt("revision"), Sql.instant(result, "died_at"),
                Sql.instant(result, "changed_at"),
                Duration.ofMillis(Math.max(0, result.getLong("age_ms"))),
                MoneyStatus.fromTag(result.getString("standing")), text(result, "evidence"), result.getInt("tier"),
                text(result, "target"));
    }

    private static Optional<Money> money(ResultSet result) throws SQLException {
        Optional<String> currency = text(result, "currency");
        return currency.isEmpty() ? Optional.empty()
                : Optional.of(new Money(result.getLong("amount"), currency.get()));
    }

    private static Optional<String> text(ResultSet result, String column) throws SQLException {
        return Optional.ofNullable(result.getString(column));
    }
}
