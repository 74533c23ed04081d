// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import io.chargeonce.database.Outbox;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.payment.PspUnits;
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
 * Accepts refunds. The payment's row is locked while the sum is checked, so however many are asked for at once, what goes
 * back is never more than was captured. The entity key always holds: the same payment and reference are one refund.
 */
public final class Refunds {

    /** What a merchant asks for. */
    public record RefundRequest(String merchant, PaymentId payment, OptionalLong amount, Optional<String> reference) {

        public RefundRequest {
            if (reference.isPresent() && !isReference(reference.get())) {
                throw new IllegalArgumentException("a refund's reference is 1 to 64 letters, digits, dots, colons, dashes or underscores");
            }
        }

        public static boolean isReference(String text) {
            return text.matches("[A-Za-z0-9._:-]{1,64}");
        }

        /** The refund's id and the key that it goes by, whatever Idempotency-Key came with it. */
        public String entityKey() {
            return "payment-" + payment + "-refund" + reference.map(name -> "-" + name).orElse("");
        }
    }

    public sealed interface Answer {

        /** It goes on its way, or has been on it since an earlier request. */
        record Accepted(Operation refund, boolean isNew) implements Answer {}

        /** The merchant has no such payment. */
        record NoSuchPayment() implements Answer {}

        /** Nothing was captured and nothing will be. */
        record NotCaptured(OperationState payment) implements Answer {}

        /** @param refundable what is left to give back, in minor units */
        record TooMuch(long refundable) implements Answer {}

        /** The PSP that has the money has no unit as small. */
        record NotRepresentable(String psp, Money money) implements Answer {}

        /** The entity key is taken by a refund of another amount. */
        record Differs(Operation refund) implements Answer {}
    }

    private Refunds() {}

    /** @param deadline how long a refund may wait for its payment and its PSP */
    public static Answer accept(Connection connection, Topics topics, RefundRequest ask, Duration deadline) throws SQLException {
        Optional<Operation> found = lockPayment(connection, ask);
        if (found.isEmpty()) {
            return new Answer.NoSuchPayment();
        }
        Operation charge = found.get();
        Optional<Operation> earlier = OperationTable.find(connection, ask.merchant(), ask.entityKey());
        if (earlier.isPresent()) {
            return repeated(ask, earlier.get());
        }
        return switch (charge.state()) {
            case DECLINED -> new Answer.NotCaptured(charge.state());
            case PURGED -> charge.isPurgedForGood() ? new Answer.NotCaptured(charge.state())
                    : acceptNew(connection, topics, ask, charge, deadline);
            // A dead payment may be merged yet: its refund waits for what becomes of it.
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, DEAD, SUCCEEDED ->
                acceptNew(connection, topics, ask, charge, deadline);
        };
    }

    private static final String LOCK_PAYMENT = "SELECT lock_payment(?)";

    /** By a function, for who accepts refunds has no right to change payments, nor so to lock them. */
    private static Optional<Operation> lockPayment(Connection connection, RefundRequest ask) throws SQLException {
        try (var statement = connection.prepareStatement(LOCK_PAYMENT)) {
            statement.setString(1, ask.payment().value());
            statement.execute();
        }
        return OperationTable.find(connection, ask.merchant(), ask.payment().value());
    }

    /** Without an amount, a repeat means the refund as it is. */
    private static Answer repeated(RefundRequest ask, Operation earlier) {
        boolean same = ask.amount().isEmpty() || ask.amount().getAsLong() == earlier.accepted().request().money().minorUnits();
        return same ? new Answer.Accepted(earlier, false) : new Answer.Differs(earlier);
    }

    private static Answer acceptNew(Connection connection, Topics topics, RefundRequest ask, Operation charge, Duration deadline)
            throws SQLException {
        Money captured = charge.accepted().request().money();
        long refundable = captured.minorUnits() - notFailed(connection, ask);
        long amount = ask.amount().orElse(refundable);
        if (amount > refundable || refundable == 0) {
            return new Answer.TooMuch(refundable);
        }
        Optional<Capture> capture = charge.state() == OperationState.SUCCEEDED
                ? Optional.of(new Capture(charge.psp().orElseThrow(), charge.pspReference().orElseThrow())) : Optional.empty();
        var money = new Money(amount, captured.currency());
        if (capture.flatMap(taken -> PspUnits.named(taken.psp())).filter(units -> !units.canSay(money)).isPresent()) {
            return new Answer.NotRepresentable(capture.orElseThrow().psp(), money);
        }
        OperationTable.insert(connection, accepted(ask, charge, money), deadline);
        Operation refund = OperationTable.find(connection, ask.merchant(), ask.entityKey()).orElseThrow();
        Outbox.stage(connection, List.of(Staging.work(topics, refund)));
        // On the payment's own record: that is whose row is locked.
        AuditLog.append(connection, List.of(AuditLog.Entry.of("merchant:" + ask.merchant(), "refund.accepted", charge,
                Optional.empty(), Map.of("refund", refund.id(), "amount", amount))));
        return new Answer.Accepted(refund, true);
    }

    /** A dead refund can be merged and a purged one restored, so both still count; only a declined one is over for good. */
    private static final String NOT_FAILED = """
            SELECT coalesce(sum(amount), 0) FROM refunds_of(?, ?) WHERE state <> 'declined'
            """;

    /** What is given back or may yet be, in minor units. The payment's row is locked by this transaction. */
    private static long notFailed(Connection connection, RefundRequest ask) throws SQLException {
        try (var statement = connection.prepareStatement(NOT_FAILED)) {
            statement.setString(1, ask.merchant());
            statement.setString(2, ask.payment().value());
            try (var result = statement.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }

    /**
     * @param captured of the payment, in minor units
     * @param goesBack by this refund and all others that went back or are on their way
     */
    public record Backed(long captured, long goesBack) {}

    private static final String BACKED = """
            SELECT charge.amount, (SELECT coalesce(sum(other.amount), 0) FROM operation_now AS other
                                    WHERE other.payment_id = charge.operation_id AND other.kind = 'refund' AND other.operation_id <> ?
                                      AND other.state NOT IN ('declined', 'dead', 'purged'))
              FROM operation AS charge WHERE charge.operation_id = ?
            """;

    /** What goes back of the payment of a refund that has gone back, as this transaction sees it. */
    public static Backed backed(Connection connection, Operation refund) throws SQLException {
        try (var statement = connection.prepareStatement(BACKED)) {
            statement.setString(1, refund.id());
            statement.setString(2, refund.accepted().payment().value());
            try (var result = statement.executeQuery()) {
                result.next();
                return new Backed(result.getLong(1), result.getLong(2) + refund.accepted().request().money().minorUnits());
            }
        }
    }

    private static Operation.Accepted accepted(RefundRequest ask, Operation charge, Money amount) {
        PaymentRequest paid = charge.accepted().request();
        var request =
                new PaymentRequest(amount, paid.paymentMethod(), paid.customer(), ask.reference(), Optional.empty(), Optional.empty());
        return new Operation.Accepted(ask.entityKey(), ask.payment(), OperationKind.REFUND, ask.reference().orElse(""),
                ask.merchant(), ask.entityKey(), request, charge.accepted().at(),
                TraceContext.current().or(charge.accepted()::traceparent));
    }
}
