package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.DueOperations;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over operations that are due for something. Where one row's bug fails the batch, each row is done alone: the one with
 * the bug stays as it is until a later pass, and the others are done without it. For one thread.
 */
final class RowByRow {

    private static final Logger LOG = LoggerFactory.getLogger(RowByRow.class);

    private static final int BATCH = 500;

    /** Returns how many rows it changed. */
    interface Change {
        int make(Connection connection, OperationTable.Locked due) throws SQLException;
    }

    private final Database database;
    private final String cannot;
    private final DueOperations due;
    private final Change change;

    /** @param cannot what a row with a bug cannot be, for the log: "be presented again" */
    RowByRow(Database database, String cannot, DueOperations due, Change change) {
        this.database = database;
        this.cannot = cannot;
        this.due = due;
        this.change = change;
    }

    /** Returns how many rows were changed. */
    int runOnce() {
        try {
            return database.inTransaction(connection -> change.make(connection, due.lock(connection, BATCH)));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            return database.withConnection(connection -> due.ids(connection, BATCH)).stream().mapToInt(this::alone).sum();
        }
    }

    private int alone(String id) {
        try {
            return database.inTransaction(connection -> change.make(connection, due.lockOne(connection, id)));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            LOG.error("Bug! Operation {} cannot {}; it stays as it is and is tried again, and the others go on", id, cannot, bug);
            return 0;
        }
    }
}
