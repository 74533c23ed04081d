// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.audit;

import io.chargeonce.database.Sql;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;

/**
 * SHA-256 over audit records as stored, in the order of their ids: each field as its length in bytes and its bytes, NULL as the length -1,
 * so that no two contents look the same. It is computed here and not in Postgres, because the database's owner could replace a function
 * there. One thread.
 */
final class RecordDigest {

    /** Rows are streamed, because they may be large. */
    private static final int AT_ONCE = 200;
    private static final int NULL = -1;

    private final MessageDigest sha256;
    private final HumanActionMetrics deeds = new HumanActionMetrics();
    private long records;
    private long last;

    RecordDigest() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static final String READ = """
            SELECT audit_id, (at AT TIME ZONE 'UTC')::text, session_role, merchant_id, actor, action, resource_type, resource_id, reason,
                   data::text, origin
              FROM audit_record
             WHERE audit_id BETWEEN ? AND ?
             ORDER BY audit_id
             LIMIT ?
            """;

    private static final int FIELDS = 11;
    private static final int ACTION = 6;

    /**
     * Adds the records between two ids, in a transaction.
     *
     * @param most the largest number of records
     */
    RecordDigest read(Connection connection, long from, long to, int most) throws SQLException {
        Sql.each(connection, AT_ONCE, READ, this::take, from, to, most);
        return this;
    }

    private void take(ResultSet row) throws SQLException {
        records++;
        last = row.getLong(1);
        deeds.add(row.getString(ACTION));
        for (int field = 1; field <= FIELDS; field++) {
            String text = row.getString(field);
            byte[] bytes = text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
            sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, text == null ? NULL : bytes.length));
            sha256.update(bytes);
        }
    }

    HumanActionMetrics deeds() {
        return deeds;
    }

    long records() {
        return records;
    }

    /** The id of the last record that was added. */
    long last() {
        return last;
    }

    /** In hexadecimal. No record can be added afterwards. */
    String sha256() {
        return HexFormat.of().formatHex(sha256.digest());
    }
}
