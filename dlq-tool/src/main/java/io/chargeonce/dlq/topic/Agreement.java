// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.topic;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import java.util.List;

/** Whether the queue and the payments say the same of each other, and everything staged for the topic can go there. */
public final class Agreement {

    /** @param repairable whether the topic is right again once the table's copy is staged; the text says what else to do */
    public record Difference(String id, String what, boolean repairable) {

        public Difference(String id, String what) {
            this(id, what, true);
        }
    }

    private Agreement() {}

    /** Looks at every operation, which takes its time. */
    private static final String PATIENCE = "SET LOCAL statement_timeout = '30min'";

    /** One statement, so that all of it is of one moment. */
    private static final String DIFFERENCES = """
            SELECT dead_letter_id, 'it is listed, but its payment is ' || coalesce(operation.state, 'not there')
              FROM dead_letter LEFT JOIN operation_now AS operation USING (operation_id)
             WHERE dead_letter.state = 'dead' AND operation_id IS NOT NULL
               AND (operation.state IS NULL OR operation.state NOT IN ('dead', 'unresolved'))
             UNION ALL
            SELECT operation_id, 'its payment is ' || operation.state || ', but the queue says ' || coalesce(letter.state, 'nothing of it')
              FROM operation_now AS operation LEFT JOIN dead_letter AS letter USING (operation_id)
             WHERE operation.state IN ('dead', 'purged') AND letter.state IS DISTINCT FROM operation.state
             UNION ALL
            SELECT dead_letter_id, 'it is listed with another amount than its payment has'
              FROM dead_letter JOIN operation_now AS operation USING (operation_id)
             WHERE dead_letter.state = 'dead'
               AND (dead_letter.amount, dead_letter.currency) IS DISTINCT FROM (operation.amount, operation.currency)
             UNION ALL
            SELECT record_key, 'Kafka refuses its record on ' || topic || ': ' || refusal
              FROM outbox WHERE refusal IS NOT NULL AND topic = ?
             ORDER BY 1 LIMIT ?
            """;

    /** @param limit the most that are returned */
    public static List<Difference> differences(DeadLetterQueue queue, int limit) {
        return queue.database().inTransaction(connection -> {
            Sql.call(connection, PATIENCE);
            return Sql.all(connection, DIFFERENCES, row -> new Difference(row.getString(1), row.getString(2)),
                    queue.topics().deadLetters(), limit);
        });
    }
}
