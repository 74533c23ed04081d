// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the seals on the audit log: a record that came to light within a sealed range, or is gone from one, shows by their number. */
final class SealRows {

    private final ShareContents contents;

    SealRows(ShareContents contents) {
        this.contents = contents;
    }

    private static final String UNSOUND = """
            SELECT seal, from_id, to_id, records, begins_at, found
              FROM (SELECT seal, from_id, to_id, records, coalesce(lag(to_id) OVER (ORDER BY seal), 0) + 1 AS begins_at,
                           (SELECT count(*) FROM audit_record WHERE audit_id BETWEEN from_id AND to_id) AS found
                      FROM audit_seal) AS sealed
             WHERE found <> CASE WHEN to_id <= (SELECT coalesce(max(forgotten_to), 0) FROM audit_seal) THEN 0 ELSE records END
                OR from_id <> begins_at
            """;

    void read(DatabaseRows rows) {
        if (contents.share.isFirst()) {
            rows.each(UNSOUND, this::unsound);
        }
    }

    private void unsound(ResultSet row) throws SQLException {
        contents.findings.addGeneral(Invariant.AUDIT_SEALED,
                "audit seal %d covers records %d to %d and should begin at %d; it was made over %d records, and there are %d".formatted(
                        row.getLong("seal"), row.getLong("from_id"), row.getLong("to_id"), row.getLong("begins_at"), row.getLong("records"),
                        row.getLong("found")));
    }
}
