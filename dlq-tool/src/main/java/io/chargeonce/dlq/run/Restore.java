// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Audit;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.PurgedLetters;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Undoes purges, until their retention ends: what comes back is dead or unresolved as it was, and nothing is charged. Any number
 * of them may run at once.
 */
final class Restore {

    private final DeadLetterQueue queue;

    Restore(DeadLetterQueue queue) {
        this.queue = queue;
    }

    Map<String, MoveResult> restore(Connection connection, LockedBatch batch, AuditContext by) throws SQLException {
        var results = new HashMap<String, MoveResult>();
        batch.gone().forEach(target -> results.put(target.id(), MoveResult.GONE));
        var letters = new ArrayList<DeadLetterView>();
        for (DeadLetterView letter : batch.letters()) {
            // The retention may have ended since it was selected, and the outcome been published.
            boolean isOver = letter.operationId().isPresent() && batch.operation(letter).settledAt().isPresent();
            if (isOver) {
                results.put(letter.id(), MoveResult.GONE);
            } else {
                letters.add(letter);
            }
        }
        List<Operation> operations = letters.stream().filter(letter -> letter.operationId().isPresent())
                .map(batch::operation).toList();
        operations.forEach(Operation::restore);
        OperationTable.save(connection, operations);
        // Of two restores of one poison record at once, the update itself says which one brought it back.
        Set<String> restored = new HashSet<>(PurgedLetters.restore(connection, queue.topics(),
                letters.stream().map(DeadLetterView::id).toList(), batch.operations(), Audit.of(by, "dlq.restored", letters)));
        letters.forEach(letter -> results.put(letter.id(), restored.contains(letter.id()) ? MoveResult.RESTORED : MoveResult.GONE));
        return results;
    }
}
