// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Stages the topic's copies of dead letters once more, as the table has them. Changes no dead letter. */
public final class LetterCopies {

    /** Higher than any revision that the topic could hold of a letter that does not exist. */
    private static final int LAST_REVISION = Integer.MAX_VALUE;

    private LetterCopies() {}

    private static final String LOCK = """
            SELECT dead_letter_id, state, revision, died_at, cause, message, source_topic, source_partition, source_offset,
                   sealed_record
              FROM dead_letter WHERE dead_letter_id = ANY (?) ORDER BY dead_letter_id FOR UPDATE
            """;

    /** The rows stay locked, so this copy is never staged after a newer one. */
    public static void stage(Connection connection, Topics topics, Collection<String> ids) throws SQLException {
        Map<String, Operation> operations = OperationTable.lock(connection, ids).rows();
        var staged = new ArrayList<OutboxRow>();
        var unknown = new HashSet<>(ids);
        try (var statement = connection.prepareStatement(LOCK)) {
            statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    DeadLetter letter = PurgedLetters.read(result, operations);
                    int revision = result.getInt("revision");
                    unknown.remove(letter.id());
                    staged.add(result.getString("state").equals("dead") ? Staging.deadLetter(topics, letter, revision,
                            result.getObject("died_at", OffsetDateTime.class).toInstant())
                            : Staging.tombstone(topics, letter.id(), revision, result.getString("state")));
                }
            }
        }
        unknown.forEach(id -> staged.add(Staging.tombstone(topics, id, LAST_REVISION, "unknown")));
        Outbox.stage(connection, List.copyOf(staged));
    }
}
