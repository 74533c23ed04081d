// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A payment's whole life, from its acceptance to now, whether it is dead or not; or a poison record's. Read at one
 * moment, for showing and never for deciding.
 *
 * @param letter its line in the dead-letter queue, if it ever had one
 */
public record Life(String id, Optional<Operation> operation, Optional<DeadLetterView> letter, List<Moment> moments) {

    /** Empty if there is neither a payment nor a dead letter of this id. */
    public static Optional<Life> of(DeadLetterQueue queue, String id) {
        return queue.database().inTransaction(connection -> {
            Optional<Operation> operation = OperationTable.find(connection, id);
            Optional<DeadLetterView> letter = DeadLetterQuery.find(connection, List.of(id)).stream().findFirst();
            return operation.isEmpty() && letter.isEmpty() ? Optional.empty()
                    : Optional.of(new Life(id, operation, letter, moments(connection, id, operation)));
        });
    }

    private static List<Moment> moments(Connection connection, String id, Optional<Operation> operation) throws SQLException {
        var moments = new ArrayList<Moment>();
        operation.map(Operation::accepted)
                .ifPresent(accepted -> moments.add(new Moment.Accepted(accepted.at(), accepted.merchant(), accepted.idempotencyKey())));
        moments.addAll(LifeRows.attempts(connection, id));
        moments.addAll(LifeRows.answers(connection, id));
        moments.addAll(LifeRows.waits(connection, id));
        moments.addAll(LifeRows.deaths(connection, id));
        moments.addAll(LifeRows.givenBack(connection, id));
        moments.addAll(LifeRows.deeds(connection, id));
        moments.sort(Comparator.comparing(Moment::at).thenComparingInt(Moment::rank));
        return List.copyOf(moments);
    }
}
