// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Audit;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.SumsByKind;
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
public final class Restore {

    private static final int LARGEST_BATCH = 300;

    private final DeadLetterQueue queue;

    public Restore(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** @param plan of what is purged: {@link Plan#ofPurged} */
    public Sweep.Result run(Plan plan, AuditContext by, Sweep sweep) {
        if (by.reason().isEmpty()) {
            throw new IllegalArgumentException("a restore needs a reason");
        }
        return sweep.through(queue, plan.selection(), LARGEST_BATCH, letters -> runOnce(letters, by));
    }

    /** One commit. */
    SumsByKind<MoveResult> runOnce(List<DeadLetterView> letters, AuditContext by) {
        Map<String, MoveResult> results = queue.database().inTransaction(connection -> restore(connection,
                LockedBatch.lock(connection, letters.stream().map(Target::of).toList(), "purged"), by));
        var sums = new SumsByKind<MoveResult>();
        letters.forEach(letter -> sums.add(results.get(letter.id()), letter));
        return sums;
    }

    public Map<String, MoveResult> restore(Connection connection, LockedBatch batch, AuditContext by) throws SQLException {
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
