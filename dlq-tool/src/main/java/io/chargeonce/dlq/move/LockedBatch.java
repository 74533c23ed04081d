// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.move;

import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Some dead letters with their operations locked in key order, read again under the lock. A dead letter of an
 * operation changes under that lock only, so what is read here holds until the commit.
 *
 * @param gone not in that state any more, or in it for a newer failure than the selected one, or of a payment that is or will be canceled
 */
public record LockedBatch(Instant now, List<DeadLetterView> letters, Map<String, Operation> operations, List<Target> gone) {

    public static LockedBatch lock(Connection connection, List<Target> selected, String state) throws SQLException {
        List<String> ids = selected.stream().map(Target::id).toList();
        // Poison's ids are among them, and name no operation.
        var locked = OperationTable.lock(connection, ids);
        Map<String, DeadLetterView> current = DeadLetterQuery.find(connection, ids).stream()
                .collect(Collectors.toMap(DeadLetterView::id, Function.identity()));
        Set<String> still = selected.stream()
                .filter(target -> target.isStill(current.get(target.id()), state) && !isCanceled(locked.rows().get(target.id())))
                .map(Target::id).collect(Collectors.toSet());
        return new LockedBatch(locked.now(), still.stream().sorted().map(current::get).toList(), locked.rows(),
                selected.stream().filter(target -> !still.contains(target.id())).toList());
    }

    /** Its letter leaves the queue as soon as charge publishes the cancel, or stages the claim that queries the PSPs before it. */
    private static boolean isCanceled(Operation operation) {
        return operation != null && (operation.state() == OperationState.CANCELED
                || operation.state() == OperationState.SCHEDULED && operation.isCanceling());
    }

    public Operation operation(DeadLetterView letter) {
        return letter.operationId().map(operations::get).orElseThrow(
                () -> new IllegalStateException("Bug! There is no operation for the dead letter " + letter.id()));
    }
}
