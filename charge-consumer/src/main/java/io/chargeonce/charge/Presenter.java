package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stages declined charges whose next presentation is due. Until then they wait in Postgres alone, for days outlast any
 * topic's retention. For one thread; several processes may each run one.
 */
final class Presenter {

    private static final Logger LOG = LoggerFactory.getLogger(Presenter.class);
    private static final int BATCH = 500;

    private final Database database;
    private final Topics topics;
    private final Runnable committed;

    Presenter(Database database, Topics topics, Runnable committed) {
        this.database = database;
        this.topics = topics;
        this.committed = committed;
    }

    /** One batch; returns how many were staged. */
    int runOnce() {
        int staged = stage();
        if (staged > 0) {
            committed.run();
        }
        return staged;
    }

    private int stage() {
        try {
            return database.inTransaction(connection -> stage(connection, OperationTable.lockDueForPresentation(connection, BATCH)));
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            return database.withConnection(Presenter::due).stream().mapToInt(this::stageAlone).sum();
        }
    }

    private static final String DUE = """
            SELECT operation_id FROM operation WHERE represent_at <= statement_timestamp() ORDER BY represent_at LIMIT ?
            """;

    private static List<String> due(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(DUE)) {
            statement.setInt(1, BATCH);
            var due = new ArrayList<String>();
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    due.add(row.getString(1));
                }
            }
            return due;
        }
    }

    /** One operation's bug is that operation's: the others are staged without it. */
    private int stageAlone(String id) {
        try {
            return database.inTransaction(connection -> {
                var locked = OperationTable.lockWhatNobodyHolds(connection, List.of(id));
                // Another process may have staged it meanwhile.
                locked.rows().values().removeIf(operation -> operation.representAt().filter(at -> !at.isAfter(locked.now())).isEmpty());
                return stage(connection, locked);
            });
        } catch (RuntimeException bug) {
            if (!Bug.isRowsOwn(bug)) {
                throw bug;
            }
            LOG.error("Bug! Operation {} is due to be presented again and cannot be staged", id, bug);
            return 0;
        }
    }

    private int stage(Connection connection, OperationTable.Locked due) throws SQLException {
        var changes = new Changes(topics);
        for (Operation operation : due.rows().values()) {
            operation.stagePresentation(due.now());
            changes.save(operation);
            changes.stage(Staging.work(topics, operation));
        }
        changes.write(connection);
        return due.rows().size();
    }
}
