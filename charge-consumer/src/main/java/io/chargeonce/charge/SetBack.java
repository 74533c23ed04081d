// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.NextStep;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.RetrySchedule;
import io.chargeonce.payment.Situation;
import io.chargeonce.wire.PaymentRecord;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What becomes of an operation that a bug kept from being claimed. */
final class SetBack {

    private SetBack() {}

    /**
     * It waits in the next tier, and after the last one it becomes a dead letter; what ends by its decline still does. Runs in a
     * transaction of its own.
     */
    static Claim claim(Connection connection, PaymentRecord record, String digest, RetrySchedule schedule, Topics topics)
            throws SQLException {
        var locked = OperationTable.lock(connection, List.of(record.operationId()));
        Operation operation = locked.rows().get(record.operationId());
        if (operation == null || record.step() != operation.step() || !Claims.CLAIMABLE.contains(operation.state())) {
            return new Claim.Superseded();
        }
        var changes = new UnitOfWork(connection, locked.now(), topics);
        var bug = new Outcome.Failed(FailureCause.INTERNAL_ERROR, digest);
        var situation = Situation.beforeAnAttempt(operation.kind(), operation.progress(), operation.represented());
        if (Decision.after(bug, situation, schedule) instanceof NextStep.RetryLater later) {
            operation.retryIn(later.tier(), operation.causeToWaitWith(bug.cause().tag()), bug.detail(), changes.now());
            changes.save(operation);
            changes.stageWork(operation);
            changes.write();
            return new Claim.Parked();
        }
        boolean declined = operation.endsByDecline() && changes.settledByItsDecline(operation);
        if (!declined) {
            changes.bury(operation, bug.cause().tag(), bug.detail());
        }
        changes.write();
        return new Claim.Ended(!declined);
    }
}
