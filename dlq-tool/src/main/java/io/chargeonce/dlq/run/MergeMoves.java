// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.database.raw.RawRow;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.move.Audit;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.LockedBatch;
import io.chargeonce.dlq.move.TargetTopics;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.story.EditedRecords;
import io.chargeonce.dlq.story.ForeignRecords;
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
import java.util.Optional;

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
    private final TargetTopics targets;
    private final Map<String, MoveResult> results = new HashMap<>();
    private final List<Operation> changed = new ArrayList<>();
    private final List<OutboxRow> staged = new ArrayList<>();
    private final List<AuditLog.Entry> audit = new ArrayList<>();
    private final List<DeadLetterView> merged = new ArrayList<>();
    private final List<DeadLetter> relisted = new ArrayList<>();
    /** What has no operation: edited poison, and other systems' records. */
    private final List<DeadLetterView> records = new ArrayList<>();
    private final List<RawRow> stagedBack = new ArrayList<>();

    MergeMoves(LockedBatch batch, DeadLetterQueue queue, AuditContext by, RunTerms terms, TargetTopics targets) {
        this.batch = batch;
        this.topics = queue.topics();
        this.vault = queue.vault();
        this.by = by;
        this.terms = terms;
        this.targets = targets;
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
        Outbox.stageRaw(connection, stagedBack);
        AuditLog.append(connection, audit);
    }

    private MoveResult move(DeadLetterView letter) {
        return switch (letter.standing()) {
            case RECHARGEABLE, PAST_DEADLINE, STOPPED, NEEDS_A_PERSON ->
                terms.chargesAgain(letter.standing()) ? reenter(letter, batch.operation(letter)) : MoveResult.REFUSED;
            case CHARGED, UNRESOLVED -> ask(letter, batch.operation(letter));
            case POISON, NO_TARGET -> MoveResult.REFUSED;
            case MENDED, FOREIGN -> {
                records.add(letter);
                yield MoveResult.RESENT;
            }
        };
    }

    /** A record has no operation to lock: of two merges at once the release itself says which one had it. */
    private void resend(Connection connection) throws SQLException {
        if (records.isEmpty()) {
            return;
        }
        List<String> ids = records.stream().map(DeadLetterView::id).toList();
        Map<String, OutboxRow> edited = new HashMap<>();
        Map<String, RawRow> back = new HashMap<>();
        ids.forEach(id -> results.put(id, MoveResult.CLOSED));
        for (EditedRecords.Row row : EditedRecords.lock(connection, vault, ids)) {
            row.again().ifPresent(again -> edited.put(row.id(), again));
        }
        for (ForeignRecords.Row row : ForeignRecords.lock(connection, vault, ids)) {
            row.back().ifPresent(again -> targets.obstacle(again)
                    .ifPresentOrElse(obstacle -> results.put(row.id(), obstacle), () -> back.put(row.id(), again)));
        }
        List<DeadLetterView> sendable = records.stream().filter(letter -> edited.containsKey(letter.id()) || back.containsKey(letter.id()))
                .toList();
        sendable.forEach(letter -> results.put(letter.id(), MoveResult.GONE));
        for (String id : release(connection, "merged", sendable)) {
            results.put(id, MoveResult.RESENT);
            Optional.ofNullable(edited.get(id)).ifPresent(staged::add);
            Optional.ofNullable(back.get(id)).ifPresent(stagedBack::add);
        }
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
