// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Columns;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.Sql;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The rows of the dead-letter queue. The same transaction stages every change for the compacted topic, and audits it. */
public final class DeadLetterTable {

    private DeadLetterTable() {}

    private static final String BURY = """
            INSERT INTO dead_letter (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, state,
                                     cause, message, generation, tier, charge_before, had_open_attempt,
                                     source_topic, source_partition, source_offset, sealed_record, target_topic)
            SELECT dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, 'dead',
                   cause, message, generation, tier, charge_before,
                   cause = 'unresolved' OR EXISTS (
                           SELECT FROM payment_attempt AS attempt
                            WHERE attempt.payment_id = row.payment_id AND attempt.operation_id = row.operation_id
                              AND NOT attempt.failed_definite),
                   source_topic, source_partition, source_offset, sealed_record, target_topic
              FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[],
                          ?::int[], ?::int[], ?::timestamptz[], ?::text[], ?::int[], ?::bigint[], ?::bytea[], ?::text[])
                AS row (dead_letter_id, operation_id, payment_id, merchant_id, amount, currency, psp, cause, message,
                        generation, tier, charge_before, source_topic, source_partition, source_offset, sealed_record, target_topic)
             ORDER BY dead_letter_id
            ON CONFLICT (dead_letter_id) DO UPDATE
               SET state = 'dead', cause = excluded.cause, message = excluded.message, psp = excluded.psp,
                   generation = excluded.generation, tier = excluded.tier, charge_before = excluded.charge_before,
                   had_open_attempt = excluded.had_open_attempt, revision = dead_letter.revision + 1,
                   died_at = clock_timestamp(), changed_at = clock_timestamp()
             WHERE excluded.operation_id IS NOT NULL
               AND (dead_letter.state <> 'dead' OR dead_letter.cause <> excluded.cause)
            RETURNING dead_letter_id, revision, died_at
            """;

    /**
     * Adds dead letters, or brings back those that had left. Poison that is read again changes nothing, not even after a purge: it is the
     * same record.
     *
     * @return the ids that entered the queue now, or are in it with another cause
     */
    public static Set<String> bury(Connection connection, Topics topics, Collection<DeadLetter> letters) throws SQLException {
        if (letters.isEmpty()) {
            return Set.of();
        }
        List<DeadLetter> distinct = List.copyOf(letters.stream()
                .collect(Collectors.toMap(DeadLetter::id, Function.identity(), (first, repeat) -> first)).values());
        Map<String, DeadLetter> byId = distinct.stream().collect(Collectors.toMap(DeadLetter::id, Function.identity()));
        var entered = new HashSet<String>();
        var staged = new ArrayList<OutboxRow>();
        var audit = new ArrayList<AuditLog.Entry>();
        Sql.each(connection, BURY, row -> {
            DeadLetter letter = byId.get(row.getString(1));
            entered.add(letter.id());
            staged.add(Staging.deadLetter(topics, letter, row.getInt(2), Sql.instant(row, 3)));
            audit.add(change("dead_letter.entered", letter.id(), row.getInt(2), letter.cause()));
        }, columns(distinct));
        Outbox.stage(connection, staged);
        AuditLog.append(connection, audit);
        return entered;
    }

    /** Each revision has exactly one audit record with its number: the queue's own, or that of the person who caused it. */
    public interface OnRecord {
        AuditLog.Entry of(String deadLetterId, int revision);
    }

    static AuditLog.Entry change(String action, String id, int revision, String why) {
        return new AuditLog.Entry("dead-letter-queue", action, Optional.empty(), "dead_letter", id, Optional.empty(),
                Map.of("revision", revision, "why", why));
    }

    private static Columns<DeadLetter> columns(List<DeadLetter> letters) throws SQLException {
        return Columns.of(letters)
                .with("text", DeadLetter::id)
                .with("text", letter -> ofOperation(letter, Operation::id))
                .with("text", letter -> ofOperation(letter, op -> op.accepted().payment().value()))
                .with("text", letter -> ofOperation(letter, op -> op.accepted().merchant()))
                .with("int8", letter -> ofOperation(letter, op -> op.accepted().request().money().minorUnits()))
                .with("text", letter -> ofOperation(letter, op -> op.accepted().request().money().currency()))
                .with("text", letter -> ofOperation(letter, op -> op.psp().orElse(null)))
                .with("text", DeadLetter::cause)
                .with("text", DeadLetter::message)
                .with("int4", letter -> letter.operation().map(Operation::generation).orElse(1))
                .with("int4", letter -> letter.operation().map(Operation::tier).orElse(0))
                .with("timestamptz", letter -> ofOperation(letter, Operation::chargeBefore))
                .with("text", letter -> ofSource(letter, DeadLetter.Source::topic))
                .with("int4", letter -> ofSource(letter, DeadLetter.Source::partition))
                .with("int8", letter -> ofSource(letter, DeadLetter.Source::offset))
                .with("bytea", letter -> ofSource(letter, DeadLetter.Source::sealed))
                .with("text", letter -> letter.source().flatMap(DeadLetter.Source::target).orElse(null));
    }

    private static <T> T ofOperation(DeadLetter letter, Function<Operation, T> column) {
        return letter.operation().map(column).orElse(null);
    }

    private static <T> T ofSource(DeadLetter letter, Function<DeadLetter.Source, T> column) {
        return letter.source().map(column).orElse(null);
    }

    private static final String RELEASE = """
            WITH live AS (SELECT dead_letter_id FROM dead_letter WHERE dead_letter_id = ANY (?) AND state = ANY (?)
                           ORDER BY dead_letter_id FOR UPDATE)
            UPDATE dead_letter SET state = ?, revision = revision + 1, changed_at = clock_timestamp()
              FROM live WHERE dead_letter.dead_letter_id = live.dead_letter_id
            RETURNING dead_letter.dead_letter_id, revision
            """;

    /** The same for a service. A settled operation leaves the purged letters too, because it cannot be restored any more. */
    public static List<String> release(Connection connection, Topics topics, String state, Collection<String> ids)
            throws SQLException {
        return release(connection, topics, state, ids, (id, revision) -> change("dead_letter.left", id, revision, state));
    }

    /**
     * Takes live dead letters out of the queue.
     *
     * @param state {@code merged}, {@code settled} or {@code purged}
     * @return the ids that were live until now
     */
    public static List<String> release(Connection connection, Topics topics, String state, Collection<String> ids, OnRecord onRecord)
            throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        var staged = new ArrayList<OutboxRow>();
        var audit = new ArrayList<AuditLog.Entry>();
        List<String> released = Sql.all(connection, RELEASE, row -> {
            staged.add(Staging.tombstone(topics, row.getString(1), row.getInt(2), state));
            audit.add(onRecord.of(row.getString(1), row.getInt(2)));
            return row.getString(1);
        }, ids, state.equals("settled") ? List.of("dead", "purged") : List.of("dead"), state);
        Outbox.stage(connection, staged);
        AuditLog.append(connection, audit);
        return released;
    }
}
