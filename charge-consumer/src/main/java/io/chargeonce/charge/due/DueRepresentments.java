// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.DueOperations;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.RetryBudget;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Stages declined charges whose next presentation is due. If their merchant has opted out since, they stay declined. Until then they wait
 * only in Postgres, because days are longer than any topic's retention. A charge that is to be canceled after a restore is staged in the
 * same way: its claim queries the PSPs, and presents nothing. For one thread; several processes may each run one.
 */
public final class DueRepresentments {

    private final RowByRow due;
    private final Topics topics;

    public DueRepresentments(Database database, Topics topics, Runnable committed) {
        this.due = new RowByRow(database, "be presented again", DueOperations.forPresentation(), this::stage, committed);
        this.topics = topics;
    }

    /** One batch. Returns how many were staged. */
    public int runOnce() {
        return due.runOnce();
    }

    private int stage(Connection connection, OperationTable.Locked due) throws SQLException {
        var changes = new UnitOfWork(connection, due.now(), topics);
        for (Operation operation : due.rows().values()) {
            if (operation.isCanceling()) {
                changes.settleLetter(operation.id());
            } else if (!RetryBudget.isOptedIn(connection, operation.accepted().merchant())) {
                // Its merchant may have opted out since it was planned.
                operation.endByDecline();
            }
            operation.stagePresentation(due.now());
            changes.save(operation);
            changes.stageWork(operation);
        }
        changes.write();
        return due.rows().size();
    }
}
