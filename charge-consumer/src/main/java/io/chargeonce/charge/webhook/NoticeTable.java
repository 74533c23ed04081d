// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/** The webhooks that were accepted, so that a repeat is dropped. */
public final class NoticeTable {

    private NoticeTable() {}

    private static final String IS_NEW = "SELECT NOT EXISTS (SELECT FROM psp_notice WHERE psp = ? AND notice_id = ?)";

    public static boolean isNew(Connection connection, String psp, String id) throws SQLException {
        return Sql.one(connection, IS_NEW, row -> row.getBoolean(1), psp, id);
    }

    /** PSPs repeat for a month at most, so each insert deletes up to two older rows. */
    private static final String INSERT = """
            WITH old AS (
                DELETE FROM psp_notice WHERE ctid IN
                    (SELECT ctid FROM psp_notice WHERE received_at < now() - interval '90 days' LIMIT 2 FOR UPDATE SKIP LOCKED)
            )
            INSERT INTO psp_notice (psp, notice_id) VALUES (?, ?) ON CONFLICT DO NOTHING
            """;

    /** @return false if it was accepted before */
    public static boolean insert(Connection connection, String psp, String id) throws SQLException {
        return Sql.update(connection, INSERT, psp, id) == 1;
    }
}
