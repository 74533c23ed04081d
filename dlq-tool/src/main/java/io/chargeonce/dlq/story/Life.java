// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.story;

import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.DeadLetterQuery;
import io.chargeonce.dlq.query.DeadLetterView;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.DisputeTable;
import io.chargeonce.ledger.Hold;
import io.chargeonce.ledger.HoldTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Decision;
import io.chargeonce.payment.FailureCause;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
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
 * @param disputes of its payment, as they stand now
 * @param readAt by the database's clock: later moments lie ahead
 */
public record Life(String id, Optional<Operation> operation, Optional<DeadLetterView> letter, List<Moment> moments,
        List<Hold> holds, List<Dispute> disputes, Instant readAt) {

    /** Empty if there is neither a payment nor a dead letter of this id. */
    public static Optional<Life> of(DeadLetterQueue queue, String id) {
        return queue.database().inTransaction(connection -> {
            Optional<Operation> operation = OperationTable.find(connection, id);
            Optional<DeadLetterView> letter = DeadLetterQuery.find(connection, List.of(id)).stream().findFirst();
            return operation.isEmpty() && letter.isEmpty() ? Optional.empty()
                    : Optional.of(new Life(id, operation, letter, moments(connection, id, operation), holds(connection, operation),
                            DisputeTable.of(connection, operation.map(one -> one.accepted().payment().value()).orElse(id)),
                            Database.now(connection)));
        });
    }

    /** How many of its attempts count since the last merge: those that it waited after, and the one that it died of. */
    public int counted() {
        Optional<Moment> last = moments.reversed().stream()
                .filter(moment -> moment instanceof Moment.Died || moment instanceof Moment.Deed deed && deed.action().equals("dlq.merged"))
                .findFirst();
        boolean diedOfOne = last.isPresent() && last.get() instanceof Moment.Died died && died.counted().orElse(false);
        return operation.map(Operation::countedAttempts).orElse(0) + (diedOfOne ? 1 : 0);
    }

    /** Those that it waits for. */
    private static final String PSPS =
            "SELECT unnest(psps_awaited(its)) FROM operation_state AS its WHERE operation_id = ?";

    private static List<Hold> holds(Connection connection, Optional<Operation> operation) throws SQLException {
        if (operation.filter(Life::waits).isEmpty()) {
            return List.of();
        }
        List<String> psps = Sql.all(connection, PSPS, row -> row.getString(1), operation.get().id());
        return HoldTable.inForce(connection).holds().stream().filter(hold -> concerns(hold, operation.get(), psps)).toList();
    }

    private static boolean waits(Operation operation) {
        return switch (operation.state()) {
            case ACCEPTED, SCHEDULED, PARKED -> true;
            case PROCESSING, UNRESOLVED, SUCCEEDED, FAILED, DECLINED, DEAD, PURGED, CANCELED -> false;
        };
    }

    private static boolean concerns(Hold hold, Operation operation, List<String> psps) {
        return switch (hold.kind()) {
            case MERCHANT -> hold.name().equals(operation.accepted().merchant());
            case TIER -> operation.waitsInATier() && hold.name().equals(Integer.toString(operation.tier()));
            case PSP -> psps.contains(hold.name());
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
        return withWhatItDiedOf(moments);
    }

    /** An attempt's failure, if nothing else came between. */
    private static List<Moment> withWhatItDiedOf(List<Moment> moments) {
        var known = new ArrayList<Moment>();
        Optional<String> failure = Optional.empty();
        for (Moment moment : moments) {
            known.add(moment instanceof Moment.Died died ? new Moment.Died(died.at(), died.cause(), died.message(),
                    failure.filter(died.cause()::equals).flatMap(FailureCause::fromTag).map(cause -> Decision.counts(cause, true)))
                    : moment);
            if (moment instanceof Moment.Heard heard) {
                failure = heard.cause().filter(cause -> heard.outcome().equals("failed"));
            } else if (moment instanceof Moment.Waited || moment instanceof Moment.Died) {
                failure = Optional.empty();
            }
        }
        return List.copyOf(known);
    }
}
