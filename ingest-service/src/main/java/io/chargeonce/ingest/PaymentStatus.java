package io.chargeonce.ingest;

import io.chargeonce.payment.OperationState;
import java.util.Locale;

/** Where a payment stands, in the words that a client sees. It never goes back in time. */
enum PaymentStatus {
    ACCEPTED, PROCESSING, SUCCEEDED, DECLINED, NEEDS_ATTENTION;

    /**
     * @param generation more than 1 once it was merged out of the dead-letter queue
     * @param sequence   the last attempt's number, 0 before the first claim
     */
    static PaymentStatus of(OperationState state, int generation, int sequence) {
        return switch (state) {
            case ACCEPTED -> generation == 1 && sequence == 0 ? ACCEPTED : PROCESSING;
            case PROCESSING, SCHEDULED, PARKED, UNRESOLVED -> PROCESSING;
            case SUCCEEDED -> SUCCEEDED;
            case DECLINED -> DECLINED;
            case DEAD, PURGED -> NEEDS_ATTENTION;
        };
    }

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
