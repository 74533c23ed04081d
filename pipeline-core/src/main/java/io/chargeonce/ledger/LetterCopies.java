// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

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
        var unknown = new HashSet<>(ids);
        var staged = new ArrayList<OutboxRow>(Sql.all(connection, LOCK, row -> {
            DeadLetter letter = PurgedLetters.read(row, operations);
            int revision = row.getInt("revision");
            unknown.remove(letter.id());
            return row.getString("state").equals("dead")
                    ? Staging.deadLetter(topics, letter, revision, Sql.instant(row, "died_at"))
                    : Staging.tombstone(topics, letter.id(), revision, row.getString("state"));
        }, ids));
        unknown.forEach(id -> staged.add(Staging.tombstone(topics, id, LAST_REVISION, "unknown")));
        Outbox.stage(connection, List.copyOf(staged));
    }
}
