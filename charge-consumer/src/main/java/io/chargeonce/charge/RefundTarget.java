// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.DisputeTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.OperationKind;
import java.sql.Connection;
import java.sql.SQLException;

/** Whether there is money to give back for a refund that was requested before its payment ended. */
enum RefundTarget {
    CAPTURED,
    /** The payment is being charged; or it is dead or purged and may still be merged or restored; or its PSP is still being asked. */
    MAY_YET_BE_CAPTURED,
    /** Nor will it be; or the payer's bank has taken all of it back. */
    NEVER_CAPTURED,
    /** A dispute has taken it. */
    DISPUTED;

    /**
     * Reads the payment without a lock: it only ever moves towards its end, and a later read finds it there. It is read before each
     * attempt, because the PSP may have corrected the capture's reference since.
     */
    static RefundTarget find(Connection connection, Operation refund) throws SQLException {
        if (refund.kind() == OperationKind.REVERSAL) {
            return CAPTURED;
        }
        Operation charge = OperationTable.find(connection, refund.accepted().payment().value()).orElseThrow();
        return switch (charge.state()) {
            case SUCCEEDED -> {
                if (Refunds.returned(connection, charge) > 0) {
                    yield NEVER_CAPTURED;
                }
                if (DisputeTable.of(connection, charge.id()).stream().anyMatch(Dispute::keepsRefundsOut)) {
                    yield DISPUTED;
                }
                refund.giveBack(new Capture(charge.psp().orElseThrow(), charge.pspReference().orElseThrow()));
                yield CAPTURED;
            }
            case ACCEPTED, PROCESSING, SCHEDULED, PARKED, UNRESOLVED, DEAD -> MAY_YET_BE_CAPTURED;
            case PURGED -> charge.isPurgedForGood() ? NEVER_CAPTURED : MAY_YET_BE_CAPTURED;
            case DECLINED, FAILED, CANCELED -> NEVER_CAPTURED;
        };
    }
}
