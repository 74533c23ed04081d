// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.payment.OperationKind;
import java.sql.Connection;
import java.sql.SQLException;

/** What there is to give back for a refund that was asked for before its payment had come to its end. */
enum RefundTarget {
    CAPTURED,
    /** It is being charged, or it is dead or purged and may yet be merged or restored, or its PSP is still asked about it. */
    MAY_YET_BE_CAPTURED,
    NEVER_CAPTURED;

    /**
     * Reads the payment without a lock: it only ever moves towards its end, and then the refund finds it there. It is read before each
     * attempt, for the PSP may have corrected since by which reference the money is to go back.
     */
    static RefundTarget find(Connection connection, Operation refund) throws SQLException {
        if (refund.kind() == OperationKind.REVERSAL) {
            return CAPTURED;
        }
        Operation charge = OperationTable.find(connection, refund.accepted().payment().value()).orElseThrow();
        return switch (charge.state()) {
            case SUCCEEDED -> {
                refund.giveBack(new Capture(charge.psp().orElseThrow(), charge.pspReference().orElseThrow()));
                yield CAPTURED;
            }
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, DEAD -> MAY_YET_BE_CAPTURED;
            case PURGED -> charge.isPurgedForGood() ? NEVER_CAPTURED : MAY_YET_BE_CAPTURED;
            case DECLINED -> NEVER_CAPTURED;
        };
    }
}
