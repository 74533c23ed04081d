// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.dlq.DeadLetterQueue;
import java.sql.Array;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The retry tiers of running processes that differ from those that were agreed: these processes run since before the change.
 *
 * @param used   as the setting is written
 * @param agreed the same
 */
public record OtherTiers(String used, String agreed, long processes) {

    private static final String DIFFERING = """
            SELECT health.tiers, agreed.tiers, count(DISTINCT process)
              FROM psp_health AS health JOIN agreed ON health.tiers <> agreed.tiers
             WHERE told_at > clock_timestamp() - interval '1 minute'
             GROUP BY health.tiers, agreed.tiers ORDER BY health.tiers
            """;

    public static List<OtherTiers> of(DeadLetterQueue queue) {
        return queue.database().withConnection(connection -> Sql.all(connection, DIFFERING,
                row -> new OtherTiers(words(row.getArray(1)), words(row.getArray(2)), row.getLong(3))));
    }

    private static String words(Array milliseconds) throws SQLException {
        return AgreedSettings.words(Stream.of((Long[]) milliseconds.getArray()).map(Duration::ofMillis).toList());
    }
}
