// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Outbox;
import io.chargeonce.database.Sql;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.Rail;
import io.chargeonce.wire.Topics;
import io.chargeonce.wire.TraceContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Accepts refunds. The payment's row is locked while the sum is checked, so simultaneous refunds never give back more than was captured.
 * The entity key always holds: the same payment and reference are one refund.
 */
public final class Refunds {

    /** A merchant's request. */
    public record RefundRequest(String merchant, PaymentId payment, OptionalLong amount, Optional<String> reference) {

        public RefundRequest {
            if (reference.isPresent() && !isReference(reference.get())) {
                throw new IllegalArgumentException("a refund's reference is 1 to 64 letters, digits, dots, colons, dashes or underscores");
            }
        }

        public static boolean isReference(String text) {
            return text.matches("[A-Za-z0-9._:-]{1,64}");
        }

        /** The refund's id and key, independent of any Idempotency-Key. */
        public String entityKey() {
            return "payment-" + payment + "-refund" + reference.map(name -> "-" + name).orElse("");
        }
    }

    public sealed interface Answer {

        /** The refund is accepted now, or was accepted by an earlier request. */
        record Accepted(Operation refund, boolean isNew) implements Answer {}

        /** The merchant has no such payment. */
        record NoSuchPayment() implements Answer {}

        /** Nothing was captured and nothing will be. */
        record NotCaptured(OperationState payment) implements Answer {}

        /** A dispute has taken the money, or a part of it, so the PSP refunds nothing. */
        record Disputed() implements Answer {}

        /** @param refundable what can still be given back, in minor units */
        record TooMuch(long refundable) implements Answer {}

        /** The PSP that holds the money has no such small unit. */
        record NotRepresentable(String psp, Money money) implements Answer {}

        /** The entity key belongs to a refund of another amount. */
        record Differs(Operation refund) implements Answer {}
    }

    private Refunds() {}

    /** @param deadline how long a refund may wait for its payment and its PSP */
    public static Answer accept(Connection connection, Topics topics, RefundRequest request, Duration deadline, KnownPsps known)
            throws SQLException {
        Optional<Operation> found = lockPayment(connection, request);
        if (found.isEmpty()) {
            return new Answer.NoSuchPayment();
        }
        Operation charge = found.get();
        Optional<Operation> earlier = OperationTable.find(connection, request.merchant(), request.entityKey());
        if (earlier.isPresent()) {
            return repeated(request, earlier.get());
        }
        return switch (charge.state()) {
            case DECLINED, FAILED, CANCELED -> new Answer.NotCaptured(charge.state());
            case PURGED -> charge.isPurgedForGood() ? new Answer.NotCaptured(charge.state())
                    : acceptNew(connection, topics, request, charge, deadline, known);
            // A dead payment may still be merged, so its refund waits.
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, DEAD, SUCCEEDED ->
                acceptNew(connection, topics, request, charge, deadline, known);
        };
    }

    private static final String LOCK_PAYMENT = "SELECT lock_payment(?)";

    /** By a function: the role that accepts refunds may not change payments, and so may not lock them. */
    private static Optional<Operation> lockPayment(Connection connection, RefundRequest request) throws SQLException {
        Sql.call(connection, LOCK_PAYMENT, request.payment().value());
        return OperationTable.find(connection, request.merchant(), request.payment().value());
    }

    /** A repeat without an amount means the refund as it is. */
    private static Answer repeated(RefundRequest request, Operation earlier) {
        boolean same = request.amount().isEmpty() || request.amount().getAsLong() == earlier.accepted().request().money().minorUnits();
        return same ? new Answer.Accepted(earlier, false) : new Answer.Differs(earlier);
    }

    private static Answer acceptNew(Connection connection, Topics topics, RefundRequest request, Operation charge, Duration deadline,
                                    KnownPsps known)
            throws SQLException {
        if (DisputeTable.of(connection, request.merchant(), request.payment().value()).stream().anyMatch(Dispute::keepsRefundsOut)) {
            return new Answer.Disputed();
        }
        Money captured = charge.accepted().request().money();
        long refundable = Math.max(0, captured.minorUnits() - notFailed(connection, request) - returned(connection, charge));
        long amount = request.amount().orElse(refundable);
        if (amount > refundable || refundable == 0) {
            return new Answer.TooMuch(refundable);
        }
        Optional<Capture> capture = charge.state() == OperationState.SUCCEEDED
                ? Optional.of(new Capture(charge.psp().orElseThrow(), charge.pspReference().orElseThrow())) : Optional.empty();
        var money = new Money(amount, captured.currency());
        if (capture.filter(taken -> !known.canSay(taken.psp(), money)).isPresent()) {
            return new Answer.NotRepresentable(capture.orElseThrow().psp(), money);
        }
        OperationTable.insert(connection, accepted(request, charge, money), deadline);
        Operation refund = OperationTable.find(connection, request.merchant(), request.entityKey()).orElseThrow();
        Outbox.stageRequests(connection, topics.requests(), List.of(refund.id()));
        // On the payment's audit trail, because the payment's row is the one that is locked.
        AuditLog.append(connection, List.of(AuditLog.Entry.of("merchant:" + request.merchant(), "refund.accepted", charge,
                Optional.empty(), Map.of("refund", refund.id(), "amount", amount))));
        return new Answer.Accepted(refund, true);
    }

    /** A dead refund can be merged and a purged one restored, so both still count. Only a declined or failed one has ended for good. */
    private static final String NOT_FAILED = """
            SELECT coalesce(sum(amount), 0) FROM refunds_of(?, ?) WHERE state NOT IN ('declined', 'failed')
            """;

    /** What is given back or may still be, in minor units. This transaction has locked the payment's row. */
    private static long notFailed(Connection connection, RefundRequest request) throws SQLException {
        return Sql.one(connection, NOT_FAILED, row -> row.getLong(1), request.merchant(), request.payment().value());
    }

    private static final String RETURNED = "SELECT returned_of(?, ?)";

    /** What the payer's bank took back of a payment after it had succeeded, in minor units. */
    public static long returned(Connection connection, Operation charge) throws SQLException {
        Operation.Accepted accepted = charge.accepted();
        return Rail.of(accepted.request().paymentMethod()) != Rail.BANK_DEBIT ? 0
                : Sql.one(connection, RETURNED, row -> row.getLong(1), accepted.merchant(), accepted.payment().value());
    }

    /**
     * @param captured the payment's captured amount, in minor units
     * @param goesBack the amount of all refunds that were paid or are under way, and what disputes have taken
     */
    public record Backed(long captured, long goesBack) {}

    private static final String BACKED = """
            SELECT charge.amount, (SELECT coalesce(sum(other.amount), 0) FROM operation_now AS other
                                    WHERE other.payment_id = charge.operation_id AND other.kind = 'refund' AND other.operation_id <> ?
                                      AND other.state NOT IN ('declined', 'failed', 'dead', 'purged'))
                                + (SELECT coalesce(sum(CASE WHEN taken.currency = charge.currency THEN taken.amount
                                                            ELSE charge.amount END), 0)
                                     FROM dispute AS taken
                                    WHERE taken.payment_id = charge.operation_id AND taken.funds = 'taken' AND NOT taken.refundable)
              FROM operation AS charge WHERE charge.operation_id = ?
            """;

    /** What goes back of an operation's payment, as this transaction sees it; a refund itself counts as paid. */
    public static Backed backed(Connection connection, Operation operation) throws SQLException {
        long own = operation.kind() == OperationKind.REFUND ? operation.accepted().request().money().minorUnits() : 0;
        return Sql.one(connection, BACKED, row -> new Backed(row.getLong(1), row.getLong(2) + own), operation.id(),
                operation.accepted().payment().value());
    }

    private static final String GOES_BACK = """
            SELECT coalesce(sum(amount), 0) FROM operation_now
             WHERE payment_id = ? AND kind = 'refund' AND state NOT IN ('declined', 'failed', 'dead', 'purged')
            """;

    /** The refunded amounts of a payment that were paid or are under way, in minor units. */
    public static long goesBack(Connection connection, Operation charge) throws SQLException {
        return Sql.one(connection, GOES_BACK, row -> row.getLong(1), charge.accepted().payment().value());
    }

    private static Operation.Accepted accepted(RefundRequest request, Operation charge, Money amount) {
        PaymentRequest paid = charge.accepted().request();
        var refund =
                new PaymentRequest(amount, paid.paymentMethod(), paid.customer(), request.reference(), Optional.empty(), Optional.empty());
        return new Operation.Accepted(request.entityKey(), request.payment(), OperationKind.REFUND, request.reference().orElse(""),
                request.merchant(), request.entityKey(), refund, charge.accepted().at(),
                TraceContext.current().or(charge.accepted()::traceparent));
    }
}
