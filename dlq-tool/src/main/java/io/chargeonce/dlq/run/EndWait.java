// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.OutboxRow;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.waiting.WaitingFilter;
import io.chargeonce.dlq.waiting.WaitingPayment;
import io.chargeonce.dlq.waiting.WaitingPayments;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.DeadLetterTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Ends the wait of payments in the tiers: they are tried now, or stopped. A planned presentation can only be stopped. What ends by its
 * decline is not stopped, because a merge would charge it although it was declined. Each is decided under its row's lock, in one
 * transaction with what is staged and audited. What waits has no open attempt, so neither can charge twice. A stop takes what waits in the
 * generation that was selected, however often it was tried or parked again since. What was tried since it was selected is not tried now
 * once more. Its record stays in the tier's topic. Of that one and the one that is staged here the first is claimed, and the other is
 * dropped, for its step or its state is over by then. Any number of people may do this at once.
 */
final class EndWait {

    private final DeadLetterQueue queue;
    private final boolean stops;

    EndWait(DeadLetterQueue queue, RunKind kind) {
        this.queue = queue;
        this.stops = kind == RunKind.STOP;
    }

    Map<String, MoveResult> end(Connection connection, List<Target> batch, AuditContext by) throws SQLException {
        List<String> ids = batch.stream().map(Target::id).toList();
        var locked = OperationTable.lock(connection, ids);
        WaitingFilter filter = WaitingFilter.ofIds(ids);
        Map<String, WaitingPayment> waiting = WaitingPayments.find(connection, stops ? filter.withPresentations() : filter).stream()
                .collect(Collectors.toMap(WaitingPayment::id, Function.identity()));
        var results = new HashMap<String, MoveResult>();
        var changed = new ArrayList<Operation>();
        var staged = new ArrayList<OutboxRow>();
        var letters = new ArrayList<DeadLetter>();
        var audit = new ArrayList<AuditLog.Entry>();
        for (Target target : batch) {
            WaitingPayment payment = waiting.get(target.id());
            Operation operation = locked.rows().get(target.id());
            if (payment == null || target.generation() != (stops ? operation.generation() : operation.sequence())) {
                results.put(target.id(), MoveResult.GONE);
                continue;
            }
            if (stops && operation.endsByDecline()) {
                results.put(target.id(), MoveResult.REFUSED);
                continue;
            }
            audit.add(entry(operation, payment, by));
            if (stops) {
                String message = "stopped while it %s: %s; last failure: %s %s".formatted(
                        operation.waitsInATier() ? "was %s in retry-%d".formatted(payment.state(), payment.tier())
                                : "waited for its next presentation",
                        by.reason().orElseThrow(), payment.cause(), payment.message()).strip();
                operation.bury(DeadLetterQuery.STOPPED, message);
                letters.add(DeadLetter.of(operation, DeadLetterQuery.STOPPED, message));
            } else {
                operation.endWait(locked.now());
                staged.add(Staging.work(queue.topics().requests(), operation));
            }
            changed.add(operation);
            results.put(payment.id(), stops ? MoveResult.STOPPED : MoveResult.RETRIED);
        }
        OperationTable.save(connection, changed);
        DeadLetterTable.bury(connection, queue.topics(), letters);
        Outbox.stage(connection, staged);
        AuditLog.append(connection, audit);
        return results;
    }

    private AuditLog.Entry entry(Operation operation, WaitingPayment payment, AuditContext by) {
        return AuditLog.Entry.of(by.person(), stops ? "dlq.stopped" : "dlq.retried_now", operation, by.reason(),
                Map.of("run", by.run(), "tier", payment.tier(), "step", payment.step(), "cause", payment.cause(),
                        "amount", payment.money().minorUnits(), "currency", payment.money().currency()));
    }
}
