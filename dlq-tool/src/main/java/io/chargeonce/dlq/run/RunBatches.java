// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.Parts;
import io.chargeonce.dlq.move.MoveResult;
import io.chargeonce.dlq.move.Target;
import io.chargeonce.dlq.move.TargetTopics;
import io.chargeonce.dlq.story.ForeignRecords;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Moves items of one run in batches, each of which is one commit, and only while the run is led by this token. Many items
 * are several batches at once over as many connections: while Postgres writes for one, another is decided and a third waits
 * for its commit. One thread calls.
 */
final class RunBatches {

    private static final int LARGEST_BATCH = 500;
    private static final int AT_ONCE = 3;

    /** The most items that are moved at once. */
    static final int MOST = AT_ONCE * LARGEST_BATCH;

    private final DeadLetterQueue queue;
    private final DlqRun run;
    private final AuditContext by;
    private final UUID token;
    private final TargetTopics targets = new TargetTopics();

    /** @param results by dead letter */
    record Batch(List<RunItems.Item> items, Map<String, MoveResult> results) {

        MoveResult result(RunItems.Item item) {
            return results.get(item.target().id());
        }

        long moves() {
            return items.stream().filter(item -> result(item).isMove()).count();
        }
    }

    RunBatches(DeadLetterQueue queue, DlqRun run, AuditContext by, UUID token) {
        this.queue = queue;
        this.run = run;
        this.by = by;
        this.token = token;
    }

    /**
     * Returns, or throws, when nothing is under way any more.
     *
     * @param items in the order of moving
     * @param foreign whether other systems' records may be among them: then Kafka is asked about their topics before any transaction
     * @return what was committed; empty for a batch that was not, because the run is not ours any more
     */
    List<Optional<Batch>> move(List<RunItems.Item> items, boolean foreign) {
        Map<String, Integer> bytes = foreign ? askAbout(items) : Map.of();
        var done = new ArrayList<Optional<Batch>>();
        var batches = new ArrayList<Callable<Optional<Batch>>>();
        for (List<RunItems.Item> batch : Parts.of(items, LARGEST_BATCH, item -> bytes.getOrDefault(item.target().id(), 0))) {
            batches.add(() -> commit(batch));
            if (batches.size() == AT_ONCE) {
                done.addAll(atOnce(batches));
                batches.clear();
            }
        }
        done.addAll(atOnce(batches));
        return done;
    }

    /** Returns the sizes of other systems' records by dead letter. */
    private Map<String, Integer> askAbout(List<RunItems.Item> items) {
        List<ForeignRecords.Aim> aims = queue.database().withConnection(
                connection -> ForeignRecords.aims(connection, items.stream().map(item -> item.target().id()).toList()));
        targets.ask(queue.kafka(), aims.stream().map(ForeignRecords.Aim::topic).distinct().toList());
        return aims.stream().collect(Collectors.toMap(ForeignRecords.Aim::id, ForeignRecords.Aim::bytes));
    }

    private static <T> List<T> atOnce(List<Callable<T>> work) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> done = threads.invokeAll(work);
            for (Future<T> failed : done.stream().filter(future -> future.state() == Future.State.FAILED).toList()) {
                throw failed.exceptionNow() instanceof RuntimeException known ? known : new IllegalStateException(failed.exceptionNow());
            }
            return done.stream().map(Future::resultNow).toList();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted between two batches; what was committed stays", e);
        }
    }

    private Optional<Batch> commit(List<RunItems.Item> items) {
        return queue.change(connection -> {
            Batch moved = move(connection, items);
            // Last, for it locks the run until the commit: batches that are written at once only wait for each other's commit.
            if (RunRows.isStillLedBy(connection, run.id(), token)) {
                return Optional.of(moved);
            }
            connection.rollback();
            return Optional.empty();
        });
    }

    private Batch move(Connection connection, List<RunItems.Item> items) throws SQLException {
        RunItems.permit(connection, run.id(), items);
        List<Target> batch = items.stream().map(RunItems.Item::target).toList();
        Map<String, MoveResult> results = run.kind().moves(queue, run.terms(), targets).on(connection, batch, by);
        RunItems.mark(connection, run.id(), items, results);
        return new Batch(items, results);
    }
}
