// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.settlement;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What people read of bank files, row by row: each a map from column to text, without names and accounts; and what they decide about them.
 */
public final class BankFileRows {

    private BankFileRows() {}

    private static final String BATCHES = """
            SELECT batch_id AS id, bank, message_id AS message, file_name AS file, state, items, total, currency, due_on, sealed_at,
                   sent_at, answered_at, answer_due, answer_due < clock_timestamp() AS late, tries, last_error
              FROM bank_batch WHERE (?::text IS NULL OR bank = ?) AND (NOT ? OR answer_due IS NOT NULL OR state IN
                   ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming'))
             ORDER BY batch_id DESC LIMIT ?
            """;

    public static List<Map<String, Object>> batches(Connection connection, Optional<String> bank, boolean open, int most)
            throws SQLException {
        return Sql.all(connection, BATCHES, BankFileRows::fields, bank, bank, open, most);
    }

    private static final String BATCH = """
            SELECT batch_id AS id, bank, kind, message_id AS message, file_name AS file, state, items, total, currency, due_on, sealed_at,
                   sent_at, answered_at, answer_due, tries, last_error, resends, size, encode(sha256, 'hex') AS sha256
              FROM bank_batch WHERE batch_id = ?
            """;

    public static Optional<Map<String, Object>> batch(Connection connection, long id) throws SQLException {
        return Sql.first(connection, BATCH, BankFileRows::fields, id);
    }

    private static final String ITEMS = """
            SELECT item.psp_key AS end_to_end_id, item.payment_id AS payment, item.amount, item.currency, item.mandate_id AS mandate,
                   (SELECT string_agg(kind || coalesce(' ' || code, ''), ', ' ORDER BY line_id) FROM bank_line AS line
                     WHERE line.psp_key = item.psp_key) AS said, item.answer_due
              FROM bank_batch_item AS item WHERE batch_id = ? ORDER BY item_id LIMIT ?
            """;

    public static List<Map<String, Object>> items(Connection connection, long batch, int most) throws SQLException {
        return Sql.all(connection, ITEMS, BankFileRows::fields, batch, most);
    }

    public static final int MOST_UNMATCHED = 1_000;
    private static final String UNMATCHED = """
            SELECT 'line ' || line_id AS id, bank, kind || coalesce(' ' || code, '') AS what, psp_key AS end_to_end_id, amount, currency,
                   reference, note AS why, happened_on::text AS at
              FROM bank_line WHERE state = 'unmatched'
             UNION ALL
            SELECT 'file ' || file_id, bank, file_name, '', NULL, NULL, NULL,
                   CASE WHEN decided = 'released' THEN 'released, and not read again yet: ' ELSE '' END || quarantined,
                   received_at::date::text
              FROM bank_file_in WHERE quarantined IS NOT NULL AND decided IS DISTINCT FROM 'closed'
             ORDER BY at LIMIT 1000
            """;

    /** The oldest {@link #MOST_UNMATCHED}. */
    public static List<Map<String, Object>> unmatched(Connection connection) throws SQLException {
        return Sql.all(connection, UNMATCHED, BankFileRows::fields);
    }

    private static final String RESEND = "SELECT resend_bank_batch(?, ?, ?)";

    /** False unless it was sent and never answered, nothing of it was booked or returned, and none was settled as not charged. */
    public static boolean resend(Connection connection, long id, Optional<String> claim, String reason) throws SQLException {
        return Sql.one(connection, RESEND, row -> row.getBoolean(1), id, claim, reason);
    }

    private static final String DECIDE = "SELECT decide_unmatched(?, ?, ?, ?, ?)";

    /**
     * What a person decides about a file that is set aside, or a line that fits nothing. The function records it.
     *
     * @param what     {@code file} or {@code line}
     * @param decision {@code closed} or {@code released}
     * @param claim    kept beside the name that counts, which is the login at Postgres
     * @return false if there is no such one on the list, or it cannot be read again
     */
    public static boolean decide(Connection connection, String what, long id, String decision, Optional<String> claim, String reason)
            throws SQLException {
        return Sql.one(connection, DECIDE, row -> row.getBoolean(1), what, id, decision, claim, reason);
    }

    /** From any row, by column. */
    public static Map<String, Object> fields(ResultSet row) throws SQLException {
        ResultSetMetaData columns = row.getMetaData();
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            Object value = row.getObject(i);
            if (value != null) {
                fields.put(columns.getColumnLabel(i), value instanceof Number || value instanceof Boolean ? value
                        : value instanceof Timestamp time ? time.toInstant().toString() : row.getString(i));
            }
        }
        return fields;
    }
}
