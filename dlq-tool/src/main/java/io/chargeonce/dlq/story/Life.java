// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.HoldTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.FailureCause;
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
 * @param holds  what people have paused that keeps it waiting now
 */
public record Life(String id, Optional<Operation> operation, Optional<DeadLetterView> letter, List<Moment> moments,
        List<Hold> holds) {

    /** Empty if there is neither a payment nor a dead letter of this id. */
    public static Optional<Life> of(DeadLetterQueue queue, String id) {
        return queue.database().inTransaction(connection -> {
            Optional<Operation> operation = OperationTable.find(connection, id);
            Optional<DeadLetterView> letter = DeadLetterQuery.find(connection, List.of(id)).stream().findFirst();
            return operation.isEmpty() && letter.isEmpty() ? Optional.empty()
                    : Optional.of(new Life(id, operation, letter, moments(connection, id, operation), holds(connection, operation)));
        });
    }

    private static List<Hold> holds(Connection connection, Optional<Operation> operation) throws SQLException {
        if (operation.filter(Life::waits).isEmpty()) {
            return List.of();
        }
        return HoldTable.inForce(connection).holds().stream().filter(hold -> concerns(hold, operation.get())).toList();
    }

    private static boolean waits(Operation operation) {
        return switch (operation.state()) {
            case ACCEPTED, SCHEDULED, PARKED -> true;
            case PROCESSING, UNRESOLVED, SUCCEEDED, FAILED, DECLINED, DEAD, PURGED -> false;
        };
    }

    /** A payment that was parked for paused PSPs may wait for any of them. */
    private static boolean concerns(Hold hold, Operation operation) {
        return switch (hold.kind()) {
            case MERCHANT -> hold.name().equals(operation.accepted().merchant());
            case TIER -> operation.waitsInATier() && hold.name().equals(Integer.toString(operation.tier()));
            case PSP -> operation.failureCause().equals(Optional.of(FailureCause.PSP_PAUSED.tag()))
                    || operation.psp().equals(Optional.of(hold.name()))
                    || operation.capture().map(Capture::psp).equals(Optional.of(hold.name()));
        };
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
        moments.addAll(LifeRows.receipts(connection, id));
        moments.addAll(LifeRows.webhooks(connection, id));
        moments.addAll(LifeRows.deeds(connection, id));
        moments.sort(Comparator.comparing(Moment::at).thenComparingInt(Moment::rank));
        return List.copyOf(moments);
    }
}
