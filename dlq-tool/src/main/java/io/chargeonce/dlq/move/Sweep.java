// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.dlq.query.Order;
import io.chargeonce.dlq.query.Selection;
import io.chargeonce.dlq.query.SumsByKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Leads a selection through batches, oldest first, one commit each, until it ends or the brake is pressed. However it
 * ends, every batch is done wholly or not at all, and the same run started again does the rest.
 *
 * @param pace     how fast a longer run may go
 * @param progress gets after every commit what has been done so far, on the thread that leads it
 */
public record Sweep(Pace pace, Brake brake, Consumer<SumsByKind<MoveResult>> progress) {

    /** @param finished false if the brake was pressed before the selection's end */
    public record Result(SumsByKind<MoveResult> results, boolean finished) {}

    /** One commit. */
    public interface Batch {
        SumsByKind<MoveResult> move(List<DeadLetterView> letters);
    }

    /** As fast as it goes, to the end. */
    public static Sweep unattended() {
        return new Sweep(Pace.unlimited(), new Brake(), soFar -> {});
    }

    public Result through(DeadLetterQueue queue, Selection selection, int largestBatch, Batch batch) {
        var results = new SumsByKind<MoveResult>();
        long done = 0;
        long started = System.nanoTime();
        Optional<DeadLetterView.Position> after = Optional.empty();
        while (!brake.isPressed()) {
            List<DeadLetterView> page = page(queue, selection, after, pace.batch(largestBatch));
            if (page.isEmpty()) {
                return new Result(results, true);
            }
            results.addAll(batch.move(page));
            progress.accept(results);
            after = Optional.of(page.getLast().position());
            done = Arrays.stream(MoveResult.values()).filter(MoveResult::isMove).mapToLong(result -> results.of(result).count()).sum();
            brake.rest(pace.dueAfter(done).minus(Duration.ofNanos(System.nanoTime() - started)));
        }
        return new Result(results, false);
    }

    private static List<DeadLetterView> page(DeadLetterQueue queue, Selection selection,
                                             Optional<DeadLetterView.Position> after, int size) {
        return queue.database().withConnection(connection -> DeadLetterQuery.page(connection, selection, Order.OLDEST_FIRST, after, size));
    }
}
