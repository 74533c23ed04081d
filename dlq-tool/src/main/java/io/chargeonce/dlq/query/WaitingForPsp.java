// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import java.util.List;

/**
 * Payments and refunds that wait for a PSP which no process was set up for. They are not dead, and go on once a
 * person adds the PSP's settings.
 *
 * @param why what the charging process said
 */
public record WaitingForPsp(String why, long count) {

    private static final String WAITING = """
            SELECT failure_message, count(*) FROM waiting JOIN operation_state USING (operation_id)
             WHERE list = 'work' AND state IN ('accepted', 'scheduled', 'parked') AND represent_at IS NULL AND failure_cause = 'psp_absent'
             GROUP BY failure_message ORDER BY count(*) DESC, failure_message
            """;

    /** By PSP, the most first. */
    public static List<WaitingForPsp> of(DeadLetterQueue queue) {
        return queue.database().withConnection(
                connection -> Sql.all(connection, WAITING, row -> new WaitingForPsp(row.getString(1), row.getLong(2))));
    }
}
