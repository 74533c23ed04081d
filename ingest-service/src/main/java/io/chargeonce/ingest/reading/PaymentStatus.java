// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.payment.OperationState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** The status of a payment or a refund, in the words that a client sees. It goes back only when a refund fails after its success. */
public enum PaymentStatus {
    ACCEPTED, PROCESSING, SUCCEEDED, FAILED, DECLINED, PARTIALLY_REFUNDED, REFUNDED, NEEDS_ATTENTION, PURGED, CANCELING, CANCELED;

    /** Of the payment's charge, which the query calls {@code charge}; {@code keys_taken} has the same columns. */
    static final String COLUMNS = """
            charge.state, charge.generation, charge.sequence, charge.cancel_requested_at, charge.settled_at, charge.resolve_at,
                   charge.failure_cause, charge.amount,
                   (SELECT coalesce(sum(back.amount), 0) FROM refunds_of(charge.merchant_id, charge.operation_id) AS back
                     WHERE back.state = 'succeeded') AS refunded""";

    /**
     * @param generation more than 1 once it was merged out of the dead-letter queue
     * @param sequence   the last attempt's number, 0 before the first claim
     */
    public static PaymentStatus of(OperationState state, int generation, int sequence) {
        return switch (state) {
            case ACCEPTED -> generation == 1 && sequence == 0 ? ACCEPTED : PROCESSING;
            case PROCESSING, SCHEDULED, PARKED, UNRESOLVED -> PROCESSING;
            case SUCCEEDED -> SUCCEEDED;
            case FAILED -> FAILED;
            case DECLINED -> DECLINED;
            case DEAD -> NEEDS_ATTENTION;
            case PURGED -> PURGED;
            case CANCELED -> CANCELED;
        };
    }

    /** The same for a payment whose cancel was requested. */
    PaymentStatus canceling() {
        return switch (this) {
            case ACCEPTED, PROCESSING, NEEDS_ATTENTION, PURGED, CANCELING -> CANCELING;
            case SUCCEEDED, FAILED, DECLINED, PARTIALLY_REFUNDED, REFUNDED, CANCELED -> this;
        };
    }

    /**
     * The same for a payment of which some may have gone back.
     *
     * @param refunded by refunds that have succeeded
     */
    PaymentStatus after(long refunded, long captured) {
        return this != SUCCEEDED || refunded == 0 ? this : refunded < captured ? PARTIALLY_REFUNDED : REFUNDED;
    }

    /** From a row of {@link #COLUMNS}. */
    public static PaymentStatus of(ResultSet row) throws SQLException {
        PaymentStatus status = of(OperationState.fromTag(row.getString("state")), row.getInt("generation"), row.getInt("sequence"));
        return (isStillToBeCanceled(row, status) ? status.canceling() : status).after(row.getLong("refunded"), row.getLong("amount"));
    }

    /** Not if it was purged for good, or a person has to look for it at its PSP: {@code cancel_charge} does not cancel these either. */
    private static boolean isStillToBeCanceled(ResultSet row, PaymentStatus status) throws SQLException {
        boolean isPurgedForGood = status == PURGED && row.getTimestamp("settled_at") != null && row.getTimestamp("resolve_at") == null;
        boolean isFoundAtPsp = (status == NEEDS_ATTENTION || status == PURGED) && "found_at_psp".equals(row.getString("failure_cause"));
        return row.getTimestamp("cancel_requested_at") != null && !isPurgedForGood && !isFoundAtPsp;
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
