package io.chargeonce.charge;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.wire.Topics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stages again what Kafka lost, under the same step. Work counts as lost when its time has come, nothing in the outbox is
 * as old, and every record that the tier's consumers have yet to finish was staged later: so a backlog, however long, is
 * not mistaken for a loss. Intervals double; what stays lost becomes a dead letter. For one thread; several processes
 * may each run one.
 */
final class Sweeper {

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    private static final int MOST_PER_PASS = 500;
    private static final int MOST_SWEEPS = 10;
    private static final Set<OperationState> WAITING =
            EnumSet.of(OperationState.ACCEPTED, OperationState.SCHEDULED, OperationState.PARKED);

    private final Database database;
    private final TopicProgress progress;
    private final Topics topics;
    private final Duration patience;
    private final Runnable committed;

    /** @param patience how long work may be overdue before it is looked at; also the allowance for clocks that differ */
    Sweeper(Database database, TopicProgress progress, Topics topics, Duration patience, Runnable committed) {
        this.database = database;
        this.progress = progress;
        this.topics = topics;
        this.patience = patience;
        this.committed = committed;
    }

    /** One pass over all tiers; returns how many operations were staged again. */
    int runOnce() {
        int swept = 0;
        for (int tier = 0; tier <= Topics.TIERS; tier++) {
            swept += sweep(tier);
        }
        return swept;
    }

    private int sweep(int tier) {
        List<String> overdue = database.withConnection(connection -> overdue(connection, tier));
        if (overdue.isEmpty()) {
            return 0;
        }
        // Read after the outbox: a record published meanwhile is found on its topic.
        Optional<Instant> oldest = progress.oldestUnfinished(topics.ofTier(tier), topics.groupOfTier(tier));
        if (oldest.isEmpty()) {
            return 0;
        }
        Instant lostIfStagedBefore = oldest.get().equals(Instant.MAX) ? Instant.MAX : oldest.get().minus(patience);
        int swept = database.inTransaction(connection -> stageAgain(connection, overdue, tier, lostIfStagedBefore));
        if (swept > 0) {
            LOG.warn("{} operations waited in vain on {}: Kafka has lost their records, and they are staged again",
                    swept, topics.ofTier(tier));
            committed.run();
        }
        return swept;
    }

    private static final String OVERDUE = """
            SELECT operation_id
              FROM operation
             WHERE state IN ('accepted', 'scheduled', 'parked') AND represent_at IS NULL AND tier = ?
               AND staged_at < statement_timestamp() - make_interval(secs => ? * power(2, swept))
               AND not_before < statement_timestamp() - make_interval(secs => ?)
               AND staged_at < (SELECT coalesce(min(staged_at), 'infinity') FROM outbox WHERE refusal IS NULL)
               AND NOT EXISTS (SELECT FROM outbox WHERE record_key = operation_id AND refusal IS NOT NULL)
             ORDER BY not_before
             LIMIT ?
            """;

    private List<String> overdue(Connection connection, int tier) throws SQLException {
        try (var statement = connection.prepareStatement(OVERDUE)) {
            statement.setInt(1, tier);
            statement.setDouble(2, patience.toMillis() / 1000.0);
            statement.setDouble(3, patience.toMillis() / 1000.0);
            statement.setInt(4, MOST_PER_PASS);
            var ids = new ArrayList<String>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    ids.add(result.getString(1));
                }
            }
            return ids;
        }
    }

    private int stageAgain(Connection connection, List<String> ids, int tier, Instant lostIfStagedBefore) throws SQLException {
        // What somebody holds is being worked on; waiting for it would keep the rest.
        var locked = OperationTable.lockWhatNobodyHolds(connection, ids);
        var changes = new Changes(topics);
        int swept = 0;
        for (Operation operation : locked.rows().values()) {
            boolean lost = WAITING.contains(operation.state()) && operation.representAt().isEmpty() && operation.tier() == tier
                    && operation.stagedAt().isBefore(lostIfStagedBefore)
                    && operation.stagedAt().isBefore(locked.now().minus(patience));
            if (lost) {
                stageAgain(operation, locked.now(), changes);
                swept++;
            }
        }
        changes.write(connection);
        return swept;
    }

    private void stageAgain(Operation operation, Instant now, Changes changes) {
        changes.save(operation);
        if (operation.swept() < MOST_SWEEPS) {
            operation.stageAgain(now);
            changes.stage(Staging.work(topics, operation));
        } else {
            String message = "staged %d times, and Kafka lost it each time".formatted(operation.swept() + 1);
            operation.bury("lost_in_kafka", message);
            changes.bury(DeadLetter.of(operation, "lost_in_kafka", message));
        }
    }
}
