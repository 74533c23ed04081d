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
 * Publishes the outcome of payments that were canceled while no attempt was open, once each, and takes them out of the dead-letter queue.
 * The function {@code cancel_charge} has decided that already, and nothing undoes it. For one thread; several processes may each run one.
 */
public final class Cancellations {

    private final RowByRow due;
    private final Topics topics;

    public Cancellations(Database database, Topics topics, Runnable committed) {
        this.due = new RowByRow(database, "be published as canceled", DueOperations.canceled(), this::publish, committed);
        this.topics = topics;
    }

    /** One batch. Returns how many were published. */
    public int runOnce() {
        return due.runOnce();
    }

    private int publish(Connection connection, OperationTable.Locked due) throws SQLException {
        var changes = new UnitOfWork(connection, due.now(), topics);
        for (Operation operation : due.rows().values()) {
            operation.cancel(due.now());
            changes.settleLetter(operation.id());
            changes.settled(operation);
        }
        changes.write();
        return due.rows().size();
    }
}
