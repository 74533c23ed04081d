// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.Sql;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Purged dead letters, which can be restored for a time. */
public final class PurgedLetters {

    /** How long a purge can be undone. */
    public static final Duration KEPT = Duration.ofDays(30);

    private PurgedLetters() {}

    private static final String RESTORE = """
            WITH purged AS (SELECT dead_letter_id FROM dead_letter WHERE dead_letter_id = ANY (?) AND state = 'purged'
                             ORDER BY dead_letter_id FOR UPDATE)
            UPDATE dead_letter SET state = 'dead', revision = revision + 1, changed_at = clock_timestamp()
              FROM purged WHERE dead_letter.dead_letter_id = purged.dead_letter_id
            RETURNING dead_letter.dead_letter_id, revision, died_at, cause, message, source_topic, source_partition, source_offset,
                      sealed_record
            """;

    /**
     * Brings them back into the queue and onto the compacted topic.
     *
     * @param operations those of the letters that are not poison, locked by this transaction
     * @return the ids that were purged until now
     */
    public static List<String> restore(Connection connection, Topics topics, Collection<String> ids,
                                       Map<String, Operation> operations, DeadLetterTable.OnRecord onRecord)
            throws SQLException {
        if (ids.isEmpty()) {
            return List.of();
        }
        var staged = new ArrayList<OutboxRow>();
        var audit = new ArrayList<AuditLog.Entry>();
        List<String> restored = Sql.all(connection, RESTORE, row -> {
            DeadLetter letter = read(row, operations);
            Instant diedAt = Sql.instant(row, "died_at");
            staged.add(Staging.deadLetter(topics, letter, row.getInt("revision"), diedAt));
            audit.add(onRecord.of(letter.id(), row.getInt("revision")));
            return letter.id();
        }, ids);
        Outbox.stage(connection, staged);
        AuditLog.append(connection, audit);
        return restored;
    }

    static DeadLetter read(ResultSet result, Map<String, Operation> operations) throws SQLException {
        String id = result.getString("dead_letter_id");
        String topic = result.getString("source_topic");
        Optional<DeadLetter.Source> source = topic == null ? Optional.empty() : Optional.of(new DeadLetter.Source(topic,
                result.getInt("source_partition"), result.getLong("source_offset"), result.getBytes("sealed_record"), Optional.empty()));
        return new DeadLetter(id, Optional.ofNullable(operations.get(id)), result.getString("cause"), result.getString("message"),
                source);
    }
}
