package io.chargeonce.ledger;

import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.PaymentId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * What has been given back of a payment, as a client sees it. Reversals are ours, not the merchant's, and are not in it.
 *
 * @param captured in minor units; 0 while nothing is captured
 * @param refunded in minor units, of refunds that have succeeded
 */
public record RefundView(long captured, long refunded, List<Refund> refunds) {

    public record Refund(String id, String reference, long amount, OperationState state) {}

    /** {@code refunded}, {@code partially_refunded}, or what the charge alone says. */
    public String status(String ofCharge) {
        if (captured == 0 || refunded == 0) {
            return ofCharge;
        }
        return refunded == captured ? "refunded" : "partially_refunded";
    }

    private static final String OF_PAYMENT = """
            SELECT operation_id, kind, operation_ref, amount, state FROM operation
             WHERE operation_id = ? AND kind = 'charge' OR payment_id = ? AND kind = 'refund'
             ORDER BY accepted_at, operation_id
            """;

    public static RefundView of(Connection connection, PaymentId payment) throws SQLException {
        try (var statement = connection.prepareStatement(OF_PAYMENT)) {
            statement.setString(1, payment.value());
            statement.setString(2, payment.value());
            long captured = 0;
            var refunds = new ArrayList<Refund>();
            try (var result = statement.executeQuery()) {
                while (result.next()) {
                    var row = new Refund(result.getString("operation_id"), result.getString("operation_ref"),
                            result.getLong("amount"), OperationState.fromTag(result.getString("state")));
                    if (!result.getString("kind").equals("charge")) {
                        refunds.add(row);
                    } else if (row.state() == OperationState.SUCCEEDED) {
                        captured = row.amount();
                    }
                }
            }
            long refunded = refunds.stream().filter(refund -> refund.state() == OperationState.SUCCEEDED).mapToLong(Refund::amount).sum();
            return new RefundView(captured, refunded, List.copyOf(refunds));
        }
    }

    /** A dead refund can be merged and a purged one restored, so both still count; only a declined one is over for good. */
    private static final String NOT_FAILED = """
            SELECT coalesce(sum(amount), 0) FROM operation WHERE payment_id = ? AND kind = 'refund' AND state <> 'declined'
            """;

    /** What is given back or may yet be, in minor units. The payment's row is locked by this transaction. */
    static long notFailed(Connection connection, PaymentId payment) throws SQLException {
        try (var statement = connection.prepareStatement(NOT_FAILED)) {
            statement.setString(1, payment.value());
            try (var result = statement.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        }
    }
}
