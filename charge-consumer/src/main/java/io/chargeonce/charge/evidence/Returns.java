// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.evidence;

import io.chargeonce.charge.evidence.MoneyLine.Said;
import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.Incident;
import io.chargeonce.charge.outcome.Reversals;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.CaptureFailures;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.OperationState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A payer's bank takes the money of a payment back, often weeks after it succeeded. That is an operation of its own, settled at once, with
 * its outcome for the merchant. The payment stays succeeded and shows the return; no refund of it goes out any more.
 */
record Returns(UnitOfWork changes, Operation charge, Attempt attempt) {

    private static final Logger LOG = LoggerFactory.getLogger(Returns.class);
    /** The operation is settled in the transaction that inserts it, so no deadline matters. */
    private static final Duration DEADLINE = Duration.ofDays(1);

    private static final Set<OperationState> UNSENT = EnumSet.of(OperationState.ACCEPTED, OperationState.SCHEDULED, OperationState.PARKED);

    /** Under the charge's lock. One return of an attempt, however often it is reported. */
    void take(Said.Returned returned) throws SQLException {
        Connection connection = changes.connection();
        String extra = Reversals.idOf(attempt.key().value());
        Optional<Operation> reversal = Optional.ofNullable(OperationTable.lock(connection, List.of(extra)).rows().get(extra));
        if (reversal.isPresent()) {
            takeOfExtra(reversal.get());
            return;
        }
        String id = "attempt-" + attempt.key() + "-return";
        var accepted = charge.accepted();
        boolean isNew = OperationTable.insert(connection, new Operation.Accepted(id, accepted.payment(), OperationKind.RETURN,
                attempt.key() + "-return", accepted.merchant(), id, accepted.request(), changes.now(), accepted.traceparent()), DEADLINE);
        if (!isNew) {
            return;
        }
        var capture = new Capture(attempt.psp(), attempt.pspReference().orElseThrow());
        Operation back = OperationTable.find(connection, id).orElseThrow();
        back.giveBack(capture);
        back.settleLate(new Capture(attempt.psp(), returned.reference()), changes.now());
        changes.settled(back);
        CaptureFailures.failed(connection, charge.id(), capture, Optional.of(changes.now()),
                "returned by the payer's bank: " + returned.code());
        changes.audit("returned", charge);
        reportIfRefundedToo();
    }

    /**
     * The payment has another capture, so nothing of its revenue is lost, and no event told of this money. Our reversal of it would pay it
     * back once more.
     */
    private void takeOfExtra(Operation reversal) {
        changes.audit("returned", charge);
        if (reversal.state() == OperationState.DECLINED) {
            return;
        }
        if (UNSENT.contains(reversal.state())) {
            reversal.settleDeclined("returned_by_bank", "the payer's bank took the money back itself", Optional.empty(), changes.now());
            changes.settled(reversal);
            return;
        }
        LOG.error("ALERT: incident.refunded_too_much: the bank took back what {} had paid twice, and {} gives it back as well; see dlq why "
                + "{}, and settle it with the payer", charge.id(), reversal.id(), charge.id());
        changes.incident(Incident.REFUNDED_TOO_MUCH, charge,
                Map.of("why", "returned by the payer's bank, and reversed by us", "attempt", attempt.key().value()));
    }

    /** A refund is paid or under way, so the payer may get the money twice. */
    private void reportIfRefundedToo() throws SQLException {
        long refunded = Refunds.goesBack(changes.connection(), charge);
        if (refunded > 0) {
            LOG.error("ALERT: incident.refunded_too_much: the bank of {} took the money back, and refunds of {} {} are paid or under way; "
                    + "see dlq why {}, and settle it with the merchant", charge.id(), refunded,
                    charge.accepted().request().money().currency(), charge.id());
            changes.incident(Incident.REFUNDED_TOO_MUCH, charge,
                    Map.of("why", "returned by the payer's bank", "refunds", refunded, "attempt", attempt.key().value()));
        }
    }
}
