package io.chargeonce.dlq;

import io.chargeonce.database.Database;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Some dead letters with their operations locked in key order, read again under the lock. A dead letter of an
 * operation changes under that lock only, so what is read here holds until the commit.
 *
 * @param gone no longer in the queue, or in it for a newer failure than the one that was selected
 */
record LockedBatch(Instant now, List<DeadLetterView> letters, Map<String, Operation> operations, List<DeadLetterView> gone) {

    /** Two people on the same letters wait for each other; the second finds them gone. */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(20);

    static LockedBatch lock(Connection connection, List<DeadLetterView> selected) throws SQLException {
        Database.waitForLocks(connection, LOCK_PATIENCE);
        var locked = OperationTable.lock(connection,
                selected.stream().map(DeadLetterView::operationId).flatMap(Optional::stream).toList());
        Map<String, DeadLetterView> current = DeadLetterQuery
                .find(connection, selected.stream().map(DeadLetterView::id).toList()).stream()
                .collect(Collectors.toMap(DeadLetterView::id, Function.identity()));
        Set<String> still = selected.stream().filter(letter -> isStill(letter, current.get(letter.id())))
                .map(DeadLetterView::id).collect(Collectors.toSet());
        return new LockedBatch(locked.now(), still.stream().sorted().map(current::get).toList(), locked.rows(),
                selected.stream().filter(letter -> !still.contains(letter.id())).toList());
    }

    /** The same failure as was selected: another generation, or the same brought back, is not. */
    private static boolean isStill(DeadLetterView selected, DeadLetterView current) {
        return current != null && current.state().equals("dead")
                && current.generation() == selected.generation() && current.diedAt().equals(selected.diedAt());
    }

    Operation operation(DeadLetterView letter) {
        return letter.operationId().map(operations::get).orElseThrow(
                () -> new IllegalStateException("Bug! There is no operation for the dead letter " + letter.id()));
    }
}
