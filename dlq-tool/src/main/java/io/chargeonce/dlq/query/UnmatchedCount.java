// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import java.time.Duration;
import java.util.List;

/**
 * Messages of one PSP about attempts that are not known here.
 *
 * @param oldest the age of the first of them
 * @param key    of the attempt that the oldest is about
 */
public record UnmatchedCount(String psp, long count, Duration oldest, String key) {

    private static final String COUNT = """
            SELECT psp, count(*), (extract(epoch FROM clock_timestamp() - min(received_at)) * 1000)::bigint,
                   (array_agg(psp_key ORDER BY received_at))[1]
              FROM unmatched_notice GROUP BY psp ORDER BY psp
            """;

    public static List<UnmatchedCount> of(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> Sql.all(connection, COUNT, row -> new UnmatchedCount(row.getString(1),
                row.getLong(2), Duration.ofMillis(Math.max(0, row.getLong(3))), row.getString(4))));
    }
}
