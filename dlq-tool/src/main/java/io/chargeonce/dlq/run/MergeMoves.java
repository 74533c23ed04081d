// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Audit;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.story.EditedRecords;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a merge does with one locked batch. The constructor decides, and write() writes all of it. One thread, one transaction. */
final class MergeMoves {

    /** A re-entered payment has this long for new attempts. */
    static final Duration DEADLINE = Duration.ofHours(24);

    /** What {@code list} shows as the cause while it is not known whether the money moved. */
    private static final String UNRESOLVED = "unresolved";

    private final LockedBatch batch;
    private final Topics topics;
    private final Vault vault;
    private final AuditContext by;
    private final RunTerms terms;
    private final Map<String, MoveResult> results = new HashMap<>();
    private final List<Operation> changed = new ArrayList<>();
    private final List<OutboxRow> staged = new ArrayList<>();
    private final List<AuditLog.Entry> audit = new ArrayList<>();
    private final List<DeadLetterView> merged = new ArrayList<>();
    private final List<DeadLetter> relisted = new ArrayList<>();
    private final List<DeadLetterView> mended = new ArrayList<>();

    MergeMoves(LockedBatch batch, DeadLetterQueue queue, AuditContext by, RunTerms terms) {
        this.batch = batch;
        this.topics = queue.topics();
        this.vault = queue.vault();
        this.by = by;
        this.terms = terms;
        batch.gone().forEach(target -> results.put(target.id(), MoveResult.GONE));
        for (DeadLetterView letter : batch.letters()) {
            results.put(letter.id(), move(letter));
        }
    }

    /** By dead letter. */
    Map<String, MoveResult> results() {
        return results;
    }

    void write(Connection connection) throws SQLException {
        resend(connection);
        OperationTable.save(connection, changed);
        release(connection, "merged", merged);
        DeadLetterTable.bury(connection, topics, relisted);
        Outbox.stage(connection, staged);
        AuditLog.append(connection, audit);
    }

    private MoveResult move(DeadLetterView letter) {
        return switch (letter.standing()) {
            case RECHARGEABLE, PAST_DEADLINE, STOPPED, NEEDS_A_PERSON ->
                terms.chargesAgain(letter.standing()) ? reenter(letter, batch.operation(letter)) : MoveResult.REFUSED;
            case CHARGED, UNRESOLVED -> ask(letter, batch.operation(letter));
            case POISON -> MoveResult.REFUSED;
            case MENDED -> {
                mended.add(letter);
                yield MoveResult.RESENT;
            }
        };
    }

    /** Poison has no operation to lock: of two merges at once the release itself says which one had it. */
    private void resend(Connection connection) throws SQLException {
        if (mended.isEmpty()) {
            return;
        }
        Map<String, OutboxRow> readable = new HashMap<>();
        for (EditedRecords.Row row : EditedRecords.lock(connection, vault, mended.stream().map(DeadLetterView::id).toList())) {
            row.again().ifPresent(again -> readable.put(row.id(), again));
        }
        List<String> released = release(connection, "merged", mended.stream().filter(letter -> readable.containsKey(letter.id())).toList());
        released.forEach(id -> staged.add(readable.get(id)));
        mended.stream().map(DeadLetterView::id).filter(id -> !released.contains(id))
                .forEach(id -> results.put(id, readable.containsKey(id) ? MoveResult.GONE : MoveResult.CLOSED));
    }

    private List<String> release(Connection connection, String state, List<DeadLetterView> letters) throws SQLException {
        return DeadLetterTable.release(connection, topics, state, letters.stream().map(DeadLetterView::id).toList(),
                Audit.of(by, "dlq." + state, letters));
    }

    private MoveResult reenter(DeadLetterView letter, Operation operation) {
        operation.reenter(batch.now(), DEADLINE);
        changed.add(operation);
        merged.add(letter);
        staged.add(Staging.work(topics, operation));
        return MoveResult.REENTERED;
    }

    /**
     * A dead operation with an attempt that took the money, or may have, stays listed, now as unresolved: the resolver settles it, and
     * gives back what another attempt took too.
     */
    private MoveResult ask(DeadLetterView letter, Operation operation) {
        if (!operation.isListed()) {
            return MoveResult.GONE;
        }
        boolean wasDead = operation.state() == OperationState.DEAD;
        if (operation.askNow(batch.now())) {
            changed.add(operation);
            audit.add(Audit.entry(by, "dlq.asked", letter));
        }
        if (wasDead) {
            String why = letter.standing() == MoneyStatus.CHARGED ? "an attempt took the money" : "an attempt may have taken the money";
            relisted.add(DeadLetter.of(operation, UNRESOLVED, why + "; was: " + letter.cause()));
        }
        return MoveResult.ASKED;
    }
}
