// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.raw.RawRow;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Other systems' dead letters, as they can be sent back to the topics that they came from. */
public final class ForeignRecords {

    /** @param back what goes to the topic; empty if no data key here opens it */
    public record Row(String id, Optional<RawRow> back) {}

    private ForeignRecords() {}

    /** Where a letter goes back to, and how large it is. */
    public record Aim(String id, String topic, int bytes) {}

    private static final String AIMS = """
            SELECT dead_letter_id, target_topic, octet_length(sealed_record)
              FROM dead_letter WHERE dead_letter_id = ANY (?) AND target_topic <> ''
            """;

    public static List<Aim> aims(Connection connection, Collection<String> ids) throws SQLException {
        return Sql.all(connection, AIMS, row -> new Aim(row.getString(1), row.getString(2), row.getInt(3)), ids);
    }

    private static final String LOCK = """
            SELECT dead_letter_id, target_topic, sealed_record
              FROM dead_letter WHERE dead_letter_id = ANY (?) AND target_topic <> '' ORDER BY dead_letter_id FOR UPDATE
            """;

    public static List<Row> lock(Connection connection, Vault vault, Collection<String> ids) throws SQLException {
        return Sql.all(connection, LOCK, row -> new Row(row.getString(1),
                back(row.getString(1), row.getString(2), vault.open(DeadLetter.place(row.getString(1)), row.getBytes(3)))), ids);
    }

    private static Optional<RawRow> back(String id, String topic, Opened record) {
        try {
            return record instanceof Opened.Readable(byte[] bytes) ? back(id, topic, FoundRecord.Content.of(bytes)) : Optional.empty();
        } catch (IllegalArgumentException changed) {
            return Optional.empty();
        }
    }

    private static Optional<RawRow> back(String id, String topic, FoundRecord.Content content) {
        return content.headersBack()
                .map(headers -> new RawRow(topic, id, content.key(), Optional.ofNullable(content.value()), headers));
    }
}
