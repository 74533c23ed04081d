// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.waiting;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.dlq.move.Brake;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.SumsByKind;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Ends the wait of payments in the tiers: they are tried now, or stopped. A planned presentation can only be stopped. Each is decided
 * under its row's lock, in one transaction with what is staged and audited, and only if it still waits as it did when it was selected.
 * What waits has no open attempt, so neither can charge twice. Its record stays in the tier's topic. Of that one and the one that is
 * staged here the first is claimed, and the other is dropped, for its step or its state is over by then. Any number of people may do this
 * at once.
 */
public final class EndWait {

    /** What a person wants. */
    public enum Kind { RETRY_NOW, STOP }

    /** What was done with one payment. */
    public enum Result {
        /** Staged for the main topic. If its PSP is still not well, it is parked again. */
        RETRIED,
        /** In the dead-letter queue now. */
        STOPPED,
        /** It did not wait there any more: it is being tried, or another person came first. */
        GONE
    }

    private static final int BATCH = 200;

    private final DeadLetterQueue queue;
    private final Kind kind;

    public EndWait(DeadLetterQueue queue, Kind kind) {
        this.queue = queue;
        this.kind = kind;
    }

    /**
     * Until all that is meant is done, or the brake is pressed.
     *
     * @param done what was committed is added to it, also if the run ends with an exception
     */
    public void run(WaitingFilter filter, Instant asOf, AuditContext by, Brake brake, SumsByKind<Result> done) {
        if (kind == Kind.STOP && by.reason().isEmpty()) {
            throw new IllegalArgumentException("a stop needs a reason");
        }
        Optional<WaitingPayments.Position> after = Optional.empty();
        while (!brake.isPressed()) {
            List<WaitingPayment> page = WaitingPayments.page(queue, filter, asOf, after, BATCH);
            if (page.isEmpty()) {
                return;
            }
            done.addAll(runOnce(page, by));
            after = Optional.of(WaitingPayments.Position.of(page.getLast()));
        }
    }

    /** One commit. */
    public SumsByKind<Result> runOnce(List<WaitingPayment> payments, AuditContext by) {
        return queue.database().inTransaction(connection -> end(connection, payments, by));
    }

    private SumsByKind<Result> end(Connection connection, List<WaitingPayment> payments, AuditContext by) throws SQLException {
        var locked = OperationTable.lock(connection, payments.stream().map(WaitingPayment::id).toList());
        var done = new SumsByKind<Result>();
        var changed = new ArrayList<Operation>();
        var staged = new ArrayList<OutboxRow>();
        var letters = new ArrayList<DeadLetter>();
        var audit = new ArrayList<AuditLog.Entry>();
        for (WaitingPayment payment : payments) {
            Operation operation = locked.rows().get(payment.id());
            boolean stillWaits = operation != null && mayEnd(operation) && operation.step() == payment.step()
                    && operation.notBefore().equals(payment.dueAt());
            if (!stillWaits) {
                done.add(Result.GONE, Sum.of(Optional.of(payment.money())));
                continue;
            }
            audit.add(entry(operation, payment, by));
            switch (kind) {
                case RETRY_NOW -> {
                    operation.endWait(locked.now());
                    staged.add(Staging.work(queue.topics().requests(), operation));
                }
                case STOP -> {
                    String message = "stopped while it %s: %s; last failure: %s %s".formatted(
                            operation.waitsInATier() ? "was %s in retry-%d".formatted(payment.state(), payment.tier())
                                    : "waited for its next presentation",
                            by.reason().orElseThrow(), payment.cause(), payment.message()).strip();
                    operation.bury(DeadLetterQuery.STOPPED, message);
                    letters.add(DeadLetter.of(operation, DeadLetterQuery.STOPPED, message));
                }
            }
            changed.add(operation);
            done.add(kind == Kind.STOP ? Result.STOPPED : Result.RETRIED, Sum.of(Optional.of(payment.money())));
        }
        OperationTable.save(connection, changed);
        DeadLetterTable.bury(connection, queue.topics(), letters);
        Outbox.stage(connection, staged);
        AuditLog.append(connection, audit);
        return done;
    }

    private boolean mayEnd(Operation operation) {
        return operation.waitsInATier() || kind == Kind.STOP && operation.representAt().isPresent();
    }

    private AuditLog.Entry entry(Operation operation, WaitingPayment payment, AuditContext by) {
        return AuditLog.Entry.of(by.person(), kind == Kind.STOP ? "dlq.stopped" : "dlq.retried_now", operation, by.reason(),
                Map.of("run", by.run(), "tier", payment.tier(), "step", payment.step(), "cause", payment.cause(),
                        "amount", payment.money().minorUnits(), "currency", payment.money().currency()));
    }
}
