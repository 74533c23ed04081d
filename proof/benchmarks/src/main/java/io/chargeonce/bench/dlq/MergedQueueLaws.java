// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.dlq;

import io.chargeonce.bench.measure.Ground;
import io.chargeonce.database.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What must be true of a {@link FullQueue} of which one PSP's letters were purged and the rest merged, with nothing running behind it. */
final class MergedQueueLaws {

    private record Law(String sentence, String violations) {}

    private static final List<Law> LAWS = List.of(
            new Law("purged are this PSP's failed ones and no others", """
                    SELECT count(*) FROM operation_state JOIN payment_attempt AS attempt USING (operation_id)
                     WHERE (operation_state.state = 'purged') <> (operation_state.psp = 'adyen' AND attempt.state = 'failed_definite')"""),
            new Law("every other failed one re-entered once", """
                    SELECT count(*) FROM operation_state JOIN payment_attempt AS attempt USING (operation_id)
                     WHERE operation_state.psp <> 'adyen' AND attempt.state = 'failed_definite'
                       AND (operation_state.state, operation_state.generation) <> ('accepted', 2)"""),
            new Law("what was or may have been charged is left to the resolver", """
                    SELECT count(*) FROM operation_state JOIN payment_attempt AS attempt USING (operation_id)
                     WHERE attempt.state IN ('succeeded', 'unknown') AND (operation_state.state <> 'unresolved' OR resolve_at > now())"""),
            new Law("work is staged once for each that re-entered and for nothing else", """
                    SELECT count(*) FROM (SELECT record_key FROM outbox WHERE topic LIKE '%.requests') AS work
                      FULL JOIN (SELECT operation_id FROM operation_state WHERE state = 'accepted') AS entered ON record_key = operation_id
                     WHERE record_key IS NULL OR operation_id IS NULL"""),
            new Law("no work is staged twice", """
                    SELECT count(*) - count(DISTINCT record_key) FROM outbox WHERE topic LIKE '%.requests'"""),
            new Law("every change is on record once", """
                    SELECT count(*) FROM (SELECT resource_id FROM audit_record WHERE action IN ('dlq.purged', 'dlq.merged', 'dlq.asked')
                     GROUP BY resource_id HAVING count(*) > 1) AS twice"""),
            new Law("every letter is where its payment is", """
                    SELECT count(*) FROM dead_letter LEFT JOIN operation_state USING (operation_id)
                     WHERE dead_letter.state <> CASE operation_state.state WHEN 'accepted' THEN 'merged'
                                                WHEN 'purged' THEN 'purged' ELSE 'dead' END"""));

    private MergedQueueLaws() {}

    /** The laws that are broken, with how often; empty if the books balance. */
    static List<String> faults(Ground.Plot plot) throws SQLException {
        var faults = new ArrayList<String>();
        try (var connection = plot.connect()) {
            for (Law law : LAWS) {
                long broken = Sql.one(connection, law.violations, row -> row.getLong(1));
                if (broken != 0) {
                    faults.add("%s: broken %d times".formatted(law.sentence, broken));
                }
            }
        }
        return faults;
    }
}
