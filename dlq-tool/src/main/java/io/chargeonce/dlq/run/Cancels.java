// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.run;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Cancels payments for a person, wherever they stand: in a tier, in the queue, or on their way. The database decides under each payment's
 * lock, as for a merchant, and nothing undoes it. Any number of people may do so at once.
 */
public final class Cancels {

    /** What becomes of one payment. */
    public enum Result {
        /** No attempt can have taken money: it is final. */
        CANCELED,
        /** An attempt may have taken money: the PSP is queried, and nothing is sent that could take it. */
        CANCELING,
        /** Too late: only a refund gives the money back. */
        CAPTURED,
        /** There is nothing to cancel. */
        DECLINED,
        /** It was purged and can no longer be restored: there is nothing to cancel. */
        PURGED,
        /** There is no such payment. */
        UNKNOWN;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether it is canceled, or will be unless the money was taken. */
        public boolean isDone() {
            return this == CANCELED || this == CANCELING;
        }

        private static Result of(String status) {
            return switch (status) {
                case null -> UNKNOWN;
                case "canceled" -> CANCELED;
                case "canceling" -> CANCELING;
                case "declined" -> DECLINED;
                case "purged" -> PURGED;
                default -> CAPTURED;
            };
        }
    }

    /** @param state where it stood before; both are empty for an unknown payment */
    public record Canceled(String id, Result result, Optional<String> state, Optional<Money> money) {}

    private final DeadLetterQueue queue;

    public Cancels(DeadLetterQueue queue) {
        this.queue = queue;
    }

    /** What would become of it. Changes nothing. */
    public Canceled look(String id) {
        return queue.database().withConnection(connection -> {
            Optional<Operation> found = find(connection, id);
            return canceled(id, found, found.isEmpty() ? Result.UNKNOWN : wouldBe(connection, found.get()));
        });
    }

    /** One commit. A repeat gives the same, and only the first is in the audit log. */
    public Canceled cancel(String id, AuditContext by) {
        if (by.reason().isEmpty()) {
            throw new IllegalArgumentException("a cancel needs a reason");
        }
        return queue.change(connection -> {
            Optional<Operation> before = find(connection, id);
            Decided decided = Sql.one(connection, CANCEL, row -> new Decided(Result.of(row.getString(1)), row.getBoolean(2)), id);
            if (decided.isNew) {
                AuditLog.append(connection, List.of(entry(before.orElseThrow(), decided.result, by)));
            }
            return canceled(id, before, decided.result);
        });
    }

    private record Decided(Result result, boolean isNew) {}

    private static final String CANCEL = "SELECT status, is_new FROM cancel_by_a_person(?)";

    private static Optional<Operation> find(Connection connection, String id) throws SQLException {
        return OperationTable.find(connection, id).filter(operation -> operation.kind() == OperationKind.CHARGE);
    }

    private static Canceled canceled(String id, Optional<Operation> operation, Result result) {
        return new Canceled(id, result, operation.map(one -> one.state().tag()), operation.map(one -> one.accepted().request().money()));
    }

    private static final String MAY_HAVE_TAKEN_MONEY = "SELECT may_have_taken_money(?)";

    private static Result wouldBe(Connection connection, Operation operation) throws SQLException {
        if (operation.isPurgedForGood()) {
            return Result.PURGED;
        }
        return switch (operation.state()) {
            case SUCCEEDED, FAILED -> Result.CAPTURED;
            case DECLINED -> Result.DECLINED;
            case CANCELED -> Result.CANCELED;
            case PROCESSING, UNRESOLVED -> Result.CANCELING;
            case ACCEPTED, SCHEDULED, PARKED, DEAD, PURGED -> operation.isWatched()
                    || Sql.one(connection, MAY_HAVE_TAKEN_MONEY, row -> row.getBoolean(1), operation.id()) ? Result.CANCELING
                            : Result.CANCELED;
        };
    }

    private static AuditLog.Entry entry(Operation operation, Result result, AuditContext by) {
        Money money = operation.accepted().request().money();
        return AuditLog.Entry.of(by.person(), "dlq.canceled", operation, by.reason(), Map.of("run", by.run(), "status", result.tag(),
                "state", operation.state().tag(), "amount", money.minorUnits(), "currency", money.currency()));
    }
}
