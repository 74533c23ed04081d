// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.refused;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Records that the broker refuses. A function of the database clears them, for people with the operator's rights, and records each in the
 * audit log. It acts only on a record that is still refused: another person or the relay may come first. Any thread.
 */
public final class RefusedRecords {

    /** What a person wants. */
    public enum Deed {
        /** The relay offers it to the broker again at once, and not only after ten minutes. */
        RETRY("retry"),
        /** It is deleted, and the records behind it go on. */
        DROP("drop");

        private final String tag;

        Deed(String tag) {
            this.tag = tag;
        }
    }

    /** More are shown by the next call. */
    public static final int MOST = 10_000;
    private static final int BATCH = 500;

    /** @param keys whose records; empty for any */
    public record Wanted(Optional<Set<String>> keys, Optional<String> topic) {

        public Wanted {
            keys = keys.map(Set::copyOf);
        }
    }

    private final DeadLetterQueue queue;

    public RefusedRecords(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** Those that were staged first come first; at most {@link #MOST}. */
    public List<RefusedRecord> find(Wanted wanted) {
        return queue.database().withConnection(connection -> find(connection, wanted));
    }

    /** Batch by batch. Returns how many were cleared; the others were cleared before. */
    public int clear(Deed deed, List<RefusedRecord> records, AuditContext by) {
        int cleared = 0;
        for (int from = 0; from < records.size(); from += BATCH) {
            List<RefusedRecord> batch = records.subList(from, Math.min(records.size(), from + BATCH));
            cleared += queue.database().inTransaction(connection -> clear(connection, deed, batch, by));
        }
        return cleared;
    }

    private static final String FIND = """
            SELECT outbox_id, topic, record_key, extract(epoch FROM clock_timestamp() - staged_at),
                   (SELECT bytes FROM outbox_to_relay AS its WHERE its.outbox_id = outbox.outbox_id), refusal, coalesce(later.records, 0)
              FROM outbox
              LEFT JOIN (SELECT record_key, count(*) AS records FROM outbox
                          WHERE refusal IS NULL AND record_key IN (SELECT record_key FROM outbox WHERE refusal IS NOT NULL)
                          GROUP BY record_key) AS later USING (record_key)
             WHERE refusal IS NOT NULL AND (?::text[] IS NULL OR record_key = ANY (?)) AND (?::text IS NULL OR topic = ?)
             ORDER BY outbox_id
             LIMIT ?
            """;

    private static List<RefusedRecord> find(Connection connection, Wanted wanted) throws SQLException {
        return Sql.all(connection, FIND, row -> new RefusedRecord(row.getLong(1), row.getString(2), row.getString(3),
                Duration.ofMillis((long) (1000 * row.getDouble(4))), row.getLong(5), row.getString(6), row.getLong(7)),
                wanted.keys(), wanted.keys(), wanted.topic(), wanted.topic(), MOST);
    }

    private static final String CLEAR = "SELECT clear_refusals(?, ?, ?, ?, ?)";

    private static int clear(Connection connection, Deed deed, List<RefusedRecord> records, AuditContext by) throws SQLException {
        try (var statement = connection.prepareStatement(CLEAR)) {
            statement.setArray(1, connection.createArrayOf("int8", records.stream().map(RefusedRecord::id).toArray()));
            statement.setString(2, deed.tag);
            statement.setString(3, by.reason().orElse(null));
            statement.setString(4, by.run());
            statement.setString(5, by.claim().orElse(null));
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
