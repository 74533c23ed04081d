package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import java.sql.Connection;
import java.sql.SQLException;

/** What there is to give back for a refund that was asked for while its payment was still being charged. */
enum RefundTarget {
    CAPTURED,
    STILL_CHARGING,
    NEVER_CAPTURED;

    /** Reads the payment without a lock: it only ever moves towards its end, and then the refund finds it there. */
    static RefundTarget find(Connection connection, Operation refund) throws SQLException {
        if (refund.capture().isPresent()) {
            return CAPTURED;
        }
        Operation charge = OperationTable.find(connection, refund.accepted().payment().value()).orElseThrow();
        return switch (charge.state()) {
            case SUCCEEDED -> {
                refund.giveBack(new Capture(charge.psp().orElseThrow(), charge.pspReference().orElseThrow()));
                yield CAPTURED;
            }
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED -> STILL_CHARGING;
            case DECLINED, DEAD, PURGED -> NEVER_CAPTURED;
        };
    }
}
