// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.move.Audit;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes dead letters out of the queue until a person restores them. It never takes one whose money was taken. It takes
 * one whose money may have been taken only if the terms say so. The resolver still asks about that one, but sends nothing for it any
 * more. Any number of purges and merges may run at once: one of them gets each dead letter, the others find it gone.
 */
final class Purge {

    private final DeadLetterQueue queue;
    private final RunTerms terms;

    Purge(DeadLetterQueue queue, RunTerms terms) {
        this.queue = queue;
        this.terms = terms;
    }

    Map<String, MoveResult> purge(Connection connection, LockedBatch batch, AuditContext by) throws SQLException {
        var results = new HashMap<String, MoveResult>();
        batch.gone().forEach(target -> results.put(target.id(), MoveResult.GONE));
        var purgeable = new ArrayList<DeadLetterView>();
        for (DeadLetterView letter : batch.letters()) {
            boolean isOpen = letter.standing() == MoneyStatus.UNRESOLVED;
            if (RunKind.PURGE.takes(letter.standing(), terms) && (!isOpen || batch.operation(letter).isListed())) {
                purgeable.add(letter);
            } else {
                results.put(letter.id(), MoveResult.REFUSED);
            }
        }
        save(connection, batch, purgeable);
        // Poison has no operation to lock: of two purges at once the release itself says which one had it.
        Set<String> released = new HashSet<>(DeadLetterTable.release(connection, queue.topics(), "purged",
                purgeable.stream().map(DeadLetterView::id).toList(), Audit.of(by, "dlq.purged", purgeable)));
        purgeable.forEach(letter -> results.put(letter.id(), released.contains(letter.id()) ? MoveResult.PURGED : MoveResult.GONE));
        return results;
    }

    static void save(Connection connection, LockedBatch batch, List<DeadLetterView> purgeable) throws SQLException {
        var operations = new ArrayList<Operation>();
        for (DeadLetterView letter : purgeable.stream().filter(one -> one.operationId().isPresent()).toList()) {
            Operation operation = batch.operation(letter);
            if (letter.standing() == MoneyStatus.UNRESOLVED && !operation.isWatched()) {
                operation.askNow(batch.now());
            }
            operation.purge(batch.now());
            operations.add(operation);
        }
        OperationTable.save(connection, operations);
    }
}
