// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The attempts at PSPs. The index {@code one_open_attempt} refuses a second attempt while one could move money. */
public final class AttemptTable {

    private AttemptTable() {}

    private static final String INSERT = """
            INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence,
                                         psp, state, request, request_sha256, sent_at, key_valid_until)
            SELECT psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, 'in_flight', request,
                   sha256(request), sent_at, key_valid_until
              FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[], ?::int[], ?::text[], ?::bytea[],
                          ?::timestamptz[], ?::timestamptz[])
                AS row (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, request,
                        sent_at, key_valid_until)
            """;

    public static void insert(Connection connection, List<Attempt> attempts) throws SQLException {
        if (attempts.isEmpty()) {
            return;
        }
        Sql.update(connection, INSERT, Columns.of(attempts)
                .with("text", attempt -> attempt.key().value())
                .with("text", Attempt::operationId)
                .with("text", attempt -> attempt.payment().value())
                .with("text", attempt -> attempt.kind().tag())
                .with("text", Attempt::ref)
                .with("int4", Attempt::generation)
                .with("int4", Attempt::sequence)
                .with("text", Attempt::psp)
                .with("bytea", Attempt::request)
                .with("timestamptz", Attempt::sentAt)
                .with("timestamptz", Attempt::keyValidUntil));
    }

    /**
     * The row after an observation was folded into it.
     *
     * @param chargedAtOnce the first answer, to the attempt's own call, was a success; the row itself stores that answer
     */
    public record Folded(AttemptState state, Optional<String> pspReference, boolean chargedAtOnce) {}

    /** Knowledge only grows: in flight, unknown, definitely failed, succeeded. An observation weaker than the row changes nothing. */
    private static final String FOLD = """
            UPDATE payment_attempt AS attempt
               SET state = CASE WHEN knows_more(observed.state, attempt.state) THEN observed.state ELSE attempt.state END,
                   failed_definite = attempt.failed_definite
                       OR observed.state = 'failed_definite' AND knows_more(observed.state, attempt.state),
                   cause = CASE WHEN knows_more(observed.state, attempt.state) THEN observed.cause ELSE attempt.cause END,
                   message = CASE WHEN knows_more(observed.state, attempt.state)
                                  THEN left(observed.message, 500) ELSE attempt.message END,
                   psp_reference = coalesce(CASE WHEN knows_more(observed.state, attempt.state) THEN observed.psp_reference END,
                                            attempt.psp_reference, observed.psp_reference),
                   not_found = CASE WHEN observed.cause = 'not_found' THEN attempt.not_found + 1 ELSE 0 END,
                   decided_at = CASE WHEN knows_more(observed.state, attempt.state)
                                     THEN clock_timestamp() ELSE attempt.decided_at END,
                   charged_at_once = attempt.charged_at_once
                       OR observed.settles AND attempt.state = 'in_flight' AND observed.state = 'succeeded'
              FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::boolean[])
                AS observed (psp_key, state, cause, message, psp_reference, settles)
             WHERE attempt.psp_key = observed.psp_key
            RETURNING attempt.psp_key, attempt.state, attempt.psp_reference, attempt.charged_at_once
            """;

    /**
     * Folds observations into attempts whose operations this transaction has locked and settles; one answer for each of them. If {@link
     * Folded#chargedAtOnce} is set for the answer to a call, the row stores that answer, and it needs no row of its own.
     */
    public static Map<PspKey, Folded> settle(Connection connection, List<Observation> observations) throws SQLException {
        return fold(connection, observations, Observation::answersItsCall);
    }

    /** Folds observations into attempts whose operations this transaction has locked, and may leave as they are. */
    public static void fold(Connection connection, List<Observation> observations) throws SQLException {
        fold(connection, observations, observation -> false);
    }

    private static Map<PspKey, Folded> fold(Connection connection, List<Observation> observations, Predicate<Observation> settles)
            throws SQLException {
        var folded = new HashMap<PspKey, Folded>();
        if (observations.isEmpty()) {
            return folded;
        }
        Sql.each(connection, FOLD, row -> folded.put(new PspKey(row.getString(1)),
                new Folded(AttemptState.fromTag(row.getString(2)), Optional.ofNullable(row.getString(3)), row.getBoolean(4))),
                Columns.of(observations)
                        .with("text", observation -> observation.key().value())
                        .with("text", observation -> observation.state().tag())
                        .with("text", Observation::cause)
                        .with("text", Observation::detail)
                        .with("text", Observation::pspReference)
                        .with("bool", settles::test));
        return folded;
    }

    /**
     * One more send of an attempt.
     *
     * @param evenUnwanted also after a person has purged the operation, or it is to be canceled, because this send cannot move money
     */
    public record Send(PspKey key, boolean evenUnwanted) {}

    private static final String COUNT_SENDS = """
            UPDATE payment_attempt AS attempt SET sends = sends + again.times
              FROM (SELECT psp_key, count(*)::int AS times, bool_and(even_unwanted) AS even_unwanted
                      FROM unnest(?::text[], ?::boolean[]) AS again (psp_key, even_unwanted) GROUP BY psp_key) AS again
             WHERE attempt.psp_key = again.psp_key AND state IN ('in_flight', 'unknown')
               AND (again.even_unwanted OR NOT EXISTS (SELECT FROM operation_state AS its
                                                        WHERE its.operation_id = attempt.operation_id
                                                          AND (its.state = 'purged' OR its.cancel_requested_at IS NOT NULL)))
            RETURNING attempt.psp_key
            """;

    /**
     * Counts one more send for each time that a key is listed, before the send's first byte.
     *
     * @return the keys that were counted; the attempts of the others are decided, or of purged or canceled payments: they are not sent
     */
    public static Set<PspKey> countSends(Connection connection, List<Send> sends) throws SQLException {
        return Set.copyOf(Sql.all(connection, COUNT_SENDS, row -> new PspKey(row.getString(1)),
                Columns.of(sends).with("text", send -> send.key.value()).with("bool", Send::evenUnwanted)));
    }

    private static final String COLUMNS = """
            psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state, request, sends,
            not_found, sent_at, key_valid_until, psp_reference, cause, message
            """;

    /** For people, who may not see what was sent: the token is in it. */
    private static final String SHOWN = COLUMNS.replace(" request,", " ''::bytea AS request,");

    private static final String SHOW = "SELECT " + SHOWN + " FROM payment_attempt WHERE psp_key = ?";

    /** Without what was sent. */
    public static Optional<Attempt> show(Connection connection, PspKey key) throws SQLException {
        return Sql.first(connection, SHOW, AttemptTable::read, key.value());
    }

    private static final String FIND = "SELECT " + COLUMNS + " FROM payment_attempt WHERE psp_key = ANY (?)";

    public static List<Attempt> find(Connection connection, Collection<String> keys) throws SQLException {
        return Sql.all(connection, FIND, AttemptTable::read, keys);
    }

    private static final String LOCK = "SELECT " + COLUMNS + " FROM payment_attempt WHERE psp_key = ANY (?) FOR UPDATE";

    /** An attempt whose operation this transaction has locked. */
    public static Attempt lock(Connection connection, PspKey key) throws SQLException {
        return Sql.one(connection, LOCK, AttemptTable::read, List.of(key.value()));
    }

    /** The union lets each half use its own partial index. */
    private static final String OF_OPERATION = "SELECT " + SHOWN + """
              FROM payment_attempt WHERE payment_id = ? AND operation_id = ? AND NOT failed_definite
             UNION ALL
            SELECT""" + " " + SHOWN + """
              FROM payment_attempt WHERE payment_id = ? AND operation_id = ? AND failed_definite
             ORDER BY sequence
            """;

    /** Every attempt of one operation, oldest first, without what was sent. */
    public static List<Attempt> ofOperation(Connection connection, Operation operation) throws SQLException {
        String payment = operation.accepted().payment().value();
        return Sql.all(connection, OF_OPERATION, AttemptTable::read, payment, operation.id(), payment, operation.id());
    }

    private static final String LATE_CAPTURES = "SELECT " + COLUMNS + """
              FROM payment_attempt
             WHERE payment_id = ANY (?) AND operation_id = ANY (?) AND failed_definite AND state = 'succeeded'
             ORDER BY sequence
            """;

    /** Attempts of these operations that succeeded after they had definitely failed, by operation, oldest first. */
    public static Map<String, List<Attempt>> lateCaptures(Connection connection, Collection<Operation> operations) throws SQLException {
        if (operations.isEmpty()) {
            return Map.of();
        }
        List<Attempt> late = Sql.all(connection, LATE_CAPTURES, AttemptTable::read,
                operations.stream().map(operation -> operation.accepted().payment().value()).distinct().toList(),
                operations.stream().map(Operation::id).toList());
        return late.stream().collect(Collectors.groupingBy(Attempt::operationId));
    }

    private static final String CORRECT_REFERENCE = "UPDATE payment_attempt SET psp_reference = ? WHERE psp_key = ?";

    /** The PSP reports another reference for the attempt's money than the person who settled it. */
    public static void correctReference(Connection connection, PspKey key, String reference) throws SQLException {
        Sql.update(connection, CORRECT_REFERENCE, reference, key.value());
    }

    private static final String OPEN = """
            SELECT psp_key FROM payment_attempt
             WHERE payment_id = ? AND operation = ? AND operation_ref = ? AND NOT failed_definite AND state <> 'succeeded'
            """;

    /** The attempt of this operation that may still move money. The index allows at most one. */
    public static Optional<PspKey> open(Connection connection, Operation operation) throws SQLException {
        return Sql.first(connection, OPEN, row -> new PspKey(row.getString(1)), operation.accepted().payment().value(),
                operation.kind().tag(), operation.accepted().ref());
    }

    private static Attempt read(ResultSet result) throws SQLException {
        return new Attempt(new PspKey(result.getString("psp_key")), result.getString("operation_id"),
                new PaymentId(result.getString("payment_id")), OperationKind.fromTag(result.getString("operation")),
                result.getString("operation_ref"), result.getInt("generation"), result.getInt("sequence"),
                result.getString("psp"), AttemptState.fromTag(result.getString("state")), result.getBytes("request"),
                result.getInt("sends"), result.getInt("not_found"),
                Sql.instant(result, "sent_at"),
                Sql.instant(result, "key_valid_until"),
                Optional.ofNullable(result.getString("psp_reference")), Optional.ofNullable(result.getString("cause")),
                Optional.ofNullable(result.getString("message")));
    }
}
