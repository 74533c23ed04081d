// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.raw.HeaderBytes;
import io.chargeonce.database.raw.RawRow;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Other systems' dead letters, as they can be sent back to the topics that they came from. */
public final class ForeignRecords {

    /** @param back what goes to the topic; empty if no data key here opens it, or it is not the record that the letter's id says */
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
            SELECT dead_letter_id, target_topic, sealed_record, source_topic, source_partition, source_offset
              FROM dead_letter
             WHERE dead_letter_id = ANY (?) AND target_topic <> '' AND source_partition IS NOT NULL AND source_offset IS NOT NULL
             ORDER BY dead_letter_id FOR UPDATE
            """;

    public static List<Row> lock(Connection connection, Vault vault, Collection<String> ids) throws SQLException {
        return Sql.all(connection, LOCK, row -> new Row(row.getString(1), back(row, vault)), ids);
    }

    private static Optional<RawRow> back(ResultSet row, Vault vault) throws SQLException {
        String id = row.getString(1);
        String topic = row.getString(2);
        if (!(vault.open(DeadLetter.place(id), row.getBytes(3)) instanceof Opened.Readable(byte[] bytes))) {
            return Optional.empty();
        }
        try {
            var content = FoundRecord.Content.of(bytes);
            content.headersBack().ifPresent(HeaderBytes::read);
            var found = new FoundRecord(row.getString(4), row.getInt(5), row.getLong(6), content.key(), content.value(), content.headers());
            // The database refuses another one, and the whole batch with it.
            return content.headersBack().filter(headers -> found.id().equals(id)).map(
                    headers -> new RawRow(topic, id, content.key(), Optional.ofNullable(content.value()), headers));
        } catch (IllegalArgumentException changed) {
            return Optional.empty();
        }
    }
}
