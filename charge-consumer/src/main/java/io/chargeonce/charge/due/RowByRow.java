// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.database.Database;
import io.chargeonce.ledger.DueOperations;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over due operations. If one row's bug fails the batch, each row is processed alone: the row with the bug stays as it is until a
 * later pass, and the others go on. For one thread.
 */
public final class RowByRow {

    private static final Logger LOG = LoggerFactory.getLogger(RowByRow.class);

    private static final int BATCH = 500;
    /** How many rows one pass tries. A pass must end, because a deploy waits for it. */
    private static final int MOST_TRIED = 16 * BATCH;

    /** Returns how many rows it changed. */
    public interface Change {
        int make(Connection connection, OperationTable.Locked due) throws SQLException;
    }

    private final Database database;
    private final String cannot;
    private final DueOperations due;
    private final Change change;
    private final Runnable committed;
    private final int batch;

    /**
     * @param cannot    what a row with a bug cannot do, for the log: "be presented again"
     * @param committed runs after a pass that changed rows
     */
    public RowByRow(Database database, String cannot, DueOperations due, Change change, Runnable committed) {
        this(database, cannot, due, change, committed, BATCH);
    }

    public RowByRow(Database database, String cannot, DueOperations due, Change change, Runnable committed, int batch) {
        this.database = database;
        this.cannot = cannot;
        this.due = due;
        this.change = change;
        this.committed = committed;
        this.batch = batch;
    }

    /** Returns how many rows were changed. */
    public int runOnce() {
        int changed = change();
        if (changed > 0) {
            committed.run();
        }
        return changed;
    }

    private int change() {
        try {
            return database.inTransaction(connection -> change.make(connection, due.lock(connection, batch)));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            return eachAlone();
        }
    }

    /**
     * Goes down the list until one row can be changed: rows that cannot must not hide those behind them. At most {@link #MOST_TRIED} are
     * tried.
     */
    private int eachAlone() {
        var tried = new HashSet<String>();
        for (int most = batch;; most *= 2) {
            int limit = most;
            List<String> ids = database.withConnection(connection -> due.ids(connection, limit));
            int changed = ids.stream().filter(tried::add).mapToInt(this::alone).sum();
            if (changed > 0 || ids.size() < limit || most >= MOST_TRIED) {
                return changed;
            }
        }
    }

    private int alone(String id) {
        try {
            return database.inTransaction(connection -> change.make(connection, due.lockOne(connection, id)));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            LOG.error("Bug! Operation {} cannot {}. It stays as it is and is tried again, and the others go on", id, cannot, bug);
            return 0;
        }
    }
}
