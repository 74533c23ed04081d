// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.due;

import io.chargeonce.charge.outcome.Bug;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.LateOperations;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.OperationState;
import io.chargeonce.wire.Topics;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stages again what Kafka lost, under the same step. Work counts as lost when it is due, has left the outbox, and still waits after the
 * tier's consumers have finished every record that was on its partition at that time. So a backlog, however long, is not mistaken for a
 * loss, regardless of clocks, and a partition that cannot be read delays only its own work. Intervals double; work that is lost again and
 * again becomes a dead letter. For one thread; several processes may each run one.
 */
public final class Sweeper {

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    /** Suspects are collected together, so that the check of some need not wait until others that were staged again are finished. */
    private static final int MOST_SUSPECTS = 50_000;
    private static final int MOST_PER_COMMIT = 500;
    private static final int MOST_SWEEPS = 10;
    private static final Set<OperationState> WAITING =
            EnumSet.of(OperationState.ACCEPTED, OperationState.SCHEDULED, OperationState.PARKED);

    /** One wait of an operation. Once either number has changed, it is not the wait that was suspected. */
    private record Turn(int step, int swept) {

        static Turn of(Operation operation) {
            return new Turn(operation.step(), operation.swept());
        }
    }

    /**
     * Work of one partition that has left the outbox and is overdue.
     *
     * @param barrier the partition's end at that time: the operation's record, if there is one, is below it
     */
    record Suspects(Map<String, Turn> turns, long barrier) {

        /** A log that now ends earlier has lost its tail, and later records there are not the expected ones. */
        Suspects lowered(TopicProgress.Position now) {
            return new Suspects(turns, Math.min(barrier, now.end()));
        }

        boolean arePassed(TopicProgress.Position now) {
            return now.finished() >= barrier;
        }
    }

    /** The last row that was read: work of a partition that cannot be read must not hide the rows behind it. */
    private record LastRead(OffsetDateTime notBefore, String id) {
        static final LastRead AT_NOTHING = new LastRead(OffsetDateTime.MIN, "");
    }

    private record Overdue(Map<String, Turn> turns, LastRead last) {}

    private final Database database;
    private final TopicProgress progress;
    private final Topics topics;
    private final int tiers;
    private final IntPredicate paused;
    private final Duration patience;
    private final Runnable committed;
    private final Map<TopicPartition, Suspects> suspects = new HashMap<>();
    private final Map<Integer, LastRead> lastReads = new HashMap<>();

    /**
     * @param tiers    how many tiers are configured
     * @param paused   whether a person holds the tier; the main topic's loop does not know where its records waited
     * @param patience how long work may be overdue before it is checked
     */
    public Sweeper(Database database, TopicProgress progress, Topics topics, int tiers, IntPredicate paused, Duration patience,
                   Runnable committed) {
        this.database = database;
        this.progress = progress;
        this.topics = topics;
        this.tiers = tiers;
        this.paused = paused;
        this.patience = patience;
        this.committed = committed;
    }

    /** One pass over all tiers. Returns how many operations were staged again. */
    public int runOnce() {
        LateOperations.listAcceptances(database, patience);
        int swept = 0;
        for (int tier : tiersWithOldWork()) {
            swept += tier <= tiers ? sweep(tier) : paused.test(tier) ? 0 : stageWhatWaitsInAFormerTier(tier);
        }
        return swept;
    }

    private static final String TIERS_WITH_OLD_WORK = """
            SELECT tier FROM generate_series(0, ?) AS tier
             WHERE tier = ANY (?) OR EXISTS (SELECT FROM waiting WHERE list = 'work' AND lane = tier::text
                                                AND due_at < statement_timestamp() - make_interval(secs => ?))
             ORDER BY tier
            """;

    /** Usually there are none: then this is the only query. Tiers with suspects are among them. */
    private List<Integer> tiersWithOldWork() {
        var suspected = IntStream.rangeClosed(0, tiers).filter(this::hasSuspects).boxed().toArray();
        return database.withConnection(connection -> Sql.all(connection, TIERS_WITH_OLD_WORK, row -> row.getInt(1), Topics.MOST_TIERS,
                connection.createArrayOf("int4", suspected), patience.toMillis() / 1000.0));
    }

    private boolean hasSuspects(int tier) {
        String topic = topics.ofTier(tier);
        return suspects.keySet().stream().anyMatch(partition -> partition.topic().equals(topic));
    }

    /** The settings had this tier before. No loop here reads its topic, so its due work goes on through the main topic. */
    private int stageWhatWaitsInAFormerTier(int tier) {
        Overdue overdue = database.withConnection(connection -> overdue(connection, tier));
        int swept = stage(new Suspects(overdue.turns, 0), tier);
        if (swept > 0) {
            LOG.warn("{} operations waited on {}, a tier that CHARGEONCE_RETRY_TIERS no longer has: they go on through {}",
                    swept, topics.ofTier(tier), topics.requests());
            committed.run();
        }
        return swept;
    }

    private int sweep(int tier) {
        String topic = topics.ofTier(tier);
        Overdue overdue = database.withConnection(connection -> overdue(connection, tier));
        if (overdue.turns.isEmpty() && !hasSuspects(tier)) {
            lastReads.remove(tier);
            return 0;
        }
        // Read after the outbox: a record published meanwhile is below its partition's end.
        var now = progress.of(topic, topics.groupOfTier(tier));
        if (now.isEmpty()) {
            return 0;
        }
        lastReads.put(tier, overdue.turns.size() < MOST_SUSPECTS ? LastRead.AT_NOTHING : overdue.last);
        suspect(topic, overdue.turns, now.get());
        int swept = now.get().positions().entrySet().stream().mapToInt(each -> sweep(each.getKey(), each.getValue(), tier)).sum();
        if (swept > 0) {
            LOG.warn("Kafka has lost the records of {} operations that waited on {}; they are staged again", swept, topic);
            committed.run();
        }
        return swept;
    }

    /** A partition with suspects gets no new ones until the old ones are checked. */
    private void suspect(String topic, Map<String, Turn> overdue, TopicProgress.Progress now) {
        var found = new HashMap<TopicPartition, Map<String, Turn>>();
        overdue.forEach((id, turn) -> found.computeIfAbsent(new TopicPartition(topic, partition(id, now.partitions())),
                first -> new HashMap<>()).put(id, turn));
        found.forEach((partition, turns) -> Optional.ofNullable(now.positions().get(partition))
                .ifPresent(position -> suspects.putIfAbsent(partition, new Suspects(turns, position.end()))));
    }

    /**
     * The partition that producers choose for the key. After a topic got more partitions, a record may still wait in another one. It is
     * then staged again too early, and the claim drops the later copy.
     */
    private static int partition(String id, int partitions) {
        return Utils.toPositive(Utils.murmur2(id.getBytes(StandardCharsets.UTF_8))) % partitions;
    }

    private int sweep(TopicPartition partition, TopicProgress.Position now, int tier) {
        Suspects known = suspects.computeIfPresent(partition, (same, before) -> before.lowered(now));
        if (known == null || !known.arePassed(now)) {
            return 0;
        }
        suspects.remove(partition);
        return stage(known, tier);
    }

    private int stage(Suspects known, int tier) {
        List<String> lost = List.copyOf(known.turns.keySet());
        int swept = 0;
        for (int from = 0; from < lost.size(); from += MOST_PER_COMMIT) {
            swept += stageApart(lost.subList(from, Math.min(lost.size(), from + MOST_PER_COMMIT)), known, tier);
        }
        return swept;
    }

    /** A bug in one operation affects only that one: the others are staged without it. */
    private int stageApart(List<String> ids, Suspects known, int tier) {
        try {
            return database.inTransaction(connection -> stageAgain(connection, ids, known, tier));
        } catch (RuntimeException bug) {
            Bug.mustBeOfOneRow(bug);
            if (ids.size() == 1) {
                LOG.error("Bug! Operation {} was lost by Kafka and cannot be staged again", ids.getFirst(), bug);
                return 0;
            }
            int half = ids.size() / 2;
            return stageApart(ids.subList(0, half), known, tier) + stageApart(ids.subList(half, ids.size()), known, tier);
        }
    }

    private static final String OVERDUE = """
            SELECT operation_id, step, swept, due_at
              FROM waiting CROSS JOIN LATERAL (SELECT step, swept, staged_at FROM operation_state AS its
                                                WHERE its.operation_id = waiting.operation_id OFFSET 0) AS operation_state
             WHERE list = 'work' AND lane = ?
               AND staged_at < statement_timestamp() - make_interval(secs => ? * power(2, swept))
               AND due_at < statement_timestamp() - make_interval(secs => ?)
               AND staged_at < (SELECT coalesce(min(staged_at), 'infinity')
                                  FROM outbox AS unsent
                                 WHERE topic = ? AND refusal IS NULL
                                   AND NOT EXISTS (SELECT FROM outbox AS refused
                                                    WHERE refused.record_key = unsent.record_key AND refused.refusal IS NOT NULL))
               AND NOT EXISTS (SELECT FROM outbox WHERE record_key = operation_id AND refusal IS NOT NULL)
               AND (due_at, operation_id) > (?, ?)
             ORDER BY due_at, operation_id
             LIMIT ?
            """;

    /** Work behind a refused record is not lost, and delays no other work. */
    private Overdue overdue(Connection connection, int tier) throws SQLException {
        double seconds = patience.toMillis() / 1000.0;
        LastRead before = lastReads.getOrDefault(tier, LastRead.AT_NOTHING);
        var turns = new HashMap<String, Turn>();
        List<LastRead> read = Sql.all(connection, OVERDUE, row -> {
            turns.put(row.getString(1), new Turn(row.getInt(2), row.getInt(3)));
            return new LastRead(row.getObject(4, OffsetDateTime.class), row.getString(1));
        }, Integer.toString(tier), seconds, seconds, topics.ofTier(tier), before.notBefore, before.id, MOST_SUSPECTS);
        return new Overdue(turns, read.isEmpty() ? before : read.getLast());
    }

    private int stageAgain(Connection connection, List<String> ids, Suspects known, int tier) throws SQLException {
        // A locked row is being worked on; waiting for it would delay the rest.
        var locked = OperationTable.lockFree(connection, ids);
        var changes = new UnitOfWork(connection, locked.now(), topics);
        int swept = 0;
        for (Operation operation : locked.rows().values()) {
            boolean lost = WAITING.contains(operation.state()) && operation.representAt().isEmpty() && operation.tier() == tier
                    && Turn.of(operation).equals(known.turns.get(operation.id()));
            if (lost) {
                stageAgain(operation, changes);
                swept++;
            }
        }
        changes.write();
        return swept;
    }

    private void stageAgain(Operation operation, UnitOfWork changes) {
        changes.save(operation);
        if (operation.swept() < MOST_SWEEPS) {
            operation.stageAgain(changes.now());
            changes.stage(Staging.work(operation.tier() > tiers ? topics.requests() : topics.ofTier(operation.tier()), operation));
        } else {
            String message = "staged %d times, and Kafka lost it each time".formatted(operation.swept() + 1);
            operation.bury("lost_in_kafka", message);
            changes.bury(DeadLetter.of(operation, "lost_in_kafka", message));
        }
    }
}
