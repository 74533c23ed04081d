// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.DueOperations;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Publishes the outcome of purged operations, once each, when their purge can no longer be undone. They stay purged. For one thread;
 * several processes may each run one.
 */
public final class EndedPurges {

    private final RowByRow due;
    private final Topics topics;

    public EndedPurges(Database database, Topics topics, Runnable committed) {
        this.due = new RowByRow(database, "end its purge", DueOperations.endedPurges(), this::end, committed);
        this.topics = topics;
    }

    /** One batch. Returns how many purges ended. */
    public int runOnce() {
        return due.runOnce();
    }

    private int end(Connection connection, OperationTable.Locked due) throws SQLException {
        var changes = new UnitOfWork(connection, due.now(), topics);
        for (Operation operation : due.rows().values()) {
            operation.endPurge(due.now());
            changes.settled(operation);
        }
        changes.write();
        return due.rows().size();
    }
}
