package io.chargeonce.dlq;

import java.time.Duration;
import java.util.List;

/**
 * Sends dead letters back through the pipeline, each by what is known of its money: charged already, it is settled;
 * unknown, the resolver asks; else it re-enters at the front. Poison stays. Any number of merges and purges may run at
 * once: one of them gets each dead letter, the others find it gone.
 */
public final class Merge {

    /** A re-entered payment has this long for new attempts. */
    private static final Duration DEADLINE = Duration.ofHours(24);
    private static final int LARGEST_BATCH = 200;

    private final DeadLetterQueue queue;

    public Merge(DeadLetterQueue queue) {
        this.queue = queue;
    }

    public Run.Result run(Plan plan, Mandate mandate, Run run) {
        return run.through(queue, plan.selection(), LARGEST_BATCH, letters -> runOnce(letters, mandate));
    }

    /** One commit. */
    Tally<Fate> runOnce(List<DeadLetterView> letters, Mandate mandate) {
        return queue.database().inTransaction(connection -> {
            var moves = new MergeMoves(LockedBatch.lock(connection, letters), queue.topics(), mandate, DEADLINE);
            moves.write(connection);
            return moves.fates();
        });
    }
}
