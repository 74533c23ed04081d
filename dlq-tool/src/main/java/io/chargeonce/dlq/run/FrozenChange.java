// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.approval.FourEyes;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.Pace;
import io.chargeonce.dlq.move.Sweep;
import io.chargeonce.dlq.query.Plan;
import io.chargeonce.dlq.query.SumsByKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A purge or a restore that needed another person: it is frozen as a run, approved, and then does exactly that, in batches of one commit
 * each. Stopped or killed, it goes on where it ended. One thread.
 */
public final class FrozenChange {

    private static final int LARGEST_BATCH = 300;
    /** A purge charges nothing, so there is nothing to judge on the way. */
    private static final RunTerms TERMS = RunTerms.without(Pace.unlimited());

    /** Moves what is locked, in the caller's transaction; returns what became of each, by dead letter. */
    interface Move {
        Map<String, MoveResult> on(Connection connection, LockedBatch batch, AuditContext by) throws SQLException;
    }

    private final DeadLetterQueue queue;

    public FrozenChange(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** @param evenUnresolved of a purge */
    public DlqRun freeze(Plan plan, FourEyes.Kind kind, boolean evenUnresolved, AuditContext by) {
        DlqRun run = plan(plan, kind, evenUnresolved, by);
        new FourEyes(queue).await(run.id());
        return run;
    }

    /** The same, but it is not listed among those that wait for another person. */
    public DlqRun plan(Plan plan, FourEyes.Kind kind, boolean evenUnresolved, AuditContext by) {
        return new DlqRuns(queue).plan(plan.selection(), by, TERMS, kind, evenUnresolved);
    }

    /**
     * @return empty if the run has ended, or another process leads it
     * @throws io.chargeonce.database.DatabaseRefused while no other person has approved it
     */
    public Optional<Sweep.Result> run(DlqRun frozen, AuditContext by, Sweep sweep) {
        return take(frozen, by).map(lead -> lead.through(sweep));
    }

    /** A run that this process leads, until it has gone through it. */
    public interface Lead {
        Sweep.Result through(Sweep sweep);
    }

    /**
     * Becomes the leader, and does nothing yet.
     *
     * @return empty if the run has ended, or another process leads it
     * @throws io.chargeonce.database.DatabaseRefused while no other person has approved it
     */
    public Optional<Lead> take(DlqRun frozen, AuditContext by) {
        UUID token = UUID.randomUUID();
        boolean taken = queue.database().inTransaction(connection -> {
            if (!RunRows.take(connection, frozen.id(), token)) {
                return false;
            }
            RunAudit.append(connection, by, "dlq.run.led", Optional.empty());
            return true;
        });
        return taken ? Optional.of(sweep -> lead(frozen, by, sweep, token)) : Optional.empty();
    }

    private Sweep.Result lead(DlqRun frozen, AuditContext by, Sweep sweep, UUID token) {
        var results = new SumsByKind<MoveResult>();
        int next = queue.database().withConnection(connection -> RunItems.firstUnmoved(connection, frozen));
        try {
            while (!sweep.brake().isPressed() && next <= RunItems.last(frozen)) {
                int from = next;
                int to = from + LARGEST_BATCH - 1;
                boolean isOurs = queue.database().inTransaction(connection -> batch(connection, frozen, by, token, from, to, results));
                if (!isOurs) {
                    return new Sweep.Result(results, false);
                }
                sweep.progress().accept(results);
                next = to + 1;
            }
            return new Sweep.Result(results, next > RunItems.last(frozen) && queue.database()
                    .inTransaction(connection -> RunRows.end(connection, frozen.id(), RunState.FINISHED, Optional.empty())));
        } finally {
            queue.database().inTransaction(connection -> {
                RunRows.letGo(connection, frozen.id(), token);
                return true;
            });
        }
    }

    private boolean batch(Connection connection, DlqRun frozen, AuditContext by, UUID token, int from, int to,
                          SumsByKind<MoveResult> results)
            throws SQLException {
        List<RunItems.Item> items = RunItems.unmoved(connection, frozen.id(), from, to);
        if (items.isEmpty()) {
            return true;
        }
        boolean restores = frozen.kind() == FourEyes.Kind.RESTORE;
        LockedBatch batch = LockedBatch.lock(connection, items.stream().map(RunItems.Item::target).toList(), restores ? "purged" : "dead");
        RunItems.permit(connection, frozen.id(), items);
        Move move = restores ? new Restore(queue)::restore : new Purge(queue, frozen.evenUnresolved())::purge;
        Map<String, MoveResult> done = move.on(connection, batch, by);
        RunItems.mark(connection, frozen.id(), items, done);
        if (!RunRows.isStillLedBy(connection, frozen.id(), token)) {
            connection.rollback();
            return false;
        }
        items.forEach(item -> results.add(done.get(item.target().id()), Sum.of(item.target().money())));
        return true;
    }
}
