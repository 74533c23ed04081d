// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.purge;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Audit;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.query.SumsByKind;
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
 * one whose money may have been taken only if the caller says so. The resolver still asks about that one, but sends nothing for it any
 * more. Any number of purges and merges may run at once: one of them gets each dead letter, the others find it gone.
 */
public final class Purge {

    private static final int LARGEST_BATCH = 300;

    private final DeadLetterQueue queue;
    private final boolean evenUnresolved;

    public Purge(DeadLetterQueue queue) {
        this(queue, false);
    }

    /** @param evenUnresolved also payments whose money may have been taken: money that moved is an incident */
    public Purge(DeadLetterQueue queue, boolean evenUnresolved) {
        this.queue = queue;
        this.evenUnresolved = evenUnresolved;
    }

    public Sweep.Result run(Plan plan, AuditContext by, Sweep sweep) {
        if (by.reason().isEmpty()) {
            throw new IllegalArgumentException("a purge needs a reason");
        }
        return sweep.through(queue, plan.selection(), LARGEST_BATCH, letters -> runOnce(letters, by));
    }

    /** One commit. */
    public SumsByKind<MoveResult> runOnce(List<DeadLetterView> letters, AuditContext by) {
        Map<String, MoveResult> results = queue.database().inTransaction(
                connection -> purge(connection, LockedBatch.lock(connection, letters.stream().map(Target::of).toList()), by));
        var sums = new SumsByKind<MoveResult>();
        letters.forEach(letter -> sums.add(results.get(letter.id()), letter));
        return sums;
    }

    public Map<String, MoveResult> purge(Connection connection, LockedBatch batch, AuditContext by) throws SQLException {
        var results = new HashMap<String, MoveResult>();
        batch.gone().forEach(target -> results.put(target.id(), MoveResult.GONE));
        var purgeable = new ArrayList<DeadLetterView>();
        for (DeadLetterView letter : batch.letters()) {
            boolean mayBePurged = switch (letter.standing()) {
                case RECHARGEABLE, PAST_DEADLINE, NEEDS_A_PERSON, STOPPED, POISON, MENDED -> true;
                case UNRESOLVED -> evenUnresolved && batch.operation(letter).isListed();
                // The money is known to be there: after a merge the resolver settles it.
                case CHARGED -> false;
            };
            if (mayBePurged) {
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
