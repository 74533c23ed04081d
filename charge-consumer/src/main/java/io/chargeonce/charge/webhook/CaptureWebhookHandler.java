// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.Incident;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.CaptureFailures;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.psp.Notice;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles webhooks about a capture after its payment has ended. Payments are captured at once, so the capture cannot be requested again,
 * and a second charge could collide with the PSP's own second try. A failed capture is an incident for a person, and the payment shows it.
 * That the PSP took money back without a request of ours is an incident too, and changes nothing yet.
 */
final class CaptureWebhookHandler {

    private static final Logger LOG = LoggerFactory.getLogger(CaptureWebhookHandler.class);

    private CaptureWebhookHandler() {}

    /** Under the operation's lock. */
    static void take(Connection connection, Operation operation, Notice notice, UnitOfWork changes) throws SQLException {
        Attempt attempt = AttemptTable.lock(connection, notice.key());
        var capture = new Capture(attempt.psp(), notice.pspReference().orElse("unnamed"));
        boolean isThePayments = isThePayments(operation, attempt);
        switch (notice.said().orElseThrow()) {
            case Notice.CaptureFailed failed -> failed(connection, operation, capture, failed, isThePayments, changes);
            case Notice.CapturedAgain again -> {
                if (isThePayments && CaptureFailures.recaptured(connection, operation.id(), capture, again.at())) {
                    changes.audit(AuditLog.Entry.of(UnitOfWork.ACTOR, "captured-again", operation, Optional.empty(),
                            Map.of("psp", capture.psp(), "psp_reference", capture.reference())));
                }
            }
            case Notice.TakenBack taken -> takenBack(operation, capture, taken.event() + ": " + taken.why(), changes);
            // A refund of ours has a key of its own, so a person made this one.
            case Notice.Ended refund -> {
                if (refund.outcome() instanceof Outcome.Charged) {
                    takenBack(operation, capture, "a refund of %s that was not requested here".formatted(
                            refund.money().map(Money::toString).orElse("an unknown amount")), changes);
                }
            }
        }
    }

    private static void takenBack(Operation operation, Capture capture, String why, UnitOfWork changes) {
        LOG.error("ALERT: incident.money_taken_back: {} says about {}: {} (its reference {}). The payment stays {} here; look there, and "
                + "inform the merchant", capture.psp(), operation.id(), why, capture.reference(), operation.state().tag());
        changes.incident(Incident.MONEY_TAKEN_BACK, operation,
                Map.of("psp", capture.psp(), "psp_reference", capture.reference(), "why", why));
    }

    /** False if the payment was settled by another attempt: this one's money goes back, or is on its way. */
    private static boolean isThePayments(Operation operation, Attempt attempt) {
        return operation.state() != OperationState.SUCCEEDED
                || operation.psp().equals(Optional.of(attempt.psp())) && operation.pspReference().equals(attempt.pspReference());
    }

    private static void failed(Connection connection, Operation operation, Capture capture, Notice.CaptureFailed said,
                               boolean isThePayments,
                               UnitOfWork changes)
            throws SQLException {
        if (isThePayments) {
            CaptureFailures.failed(connection, operation.id(), capture, said.at(), said.reason());
        }
        LOG.error("ALERT: incident.capture_failed: {} has not received the money of {} after all ({}); the payment stays {}. "
                + "Ask the PSP about {}, and inform the merchant", capture.psp(), operation.id(), said.reason(), operation.state().tag(),
                capture.reference());
        changes.incident(Incident.CAPTURE_FAILED, operation,
                Map.of("psp", capture.psp(), "psp_reference", capture.reference(), "why", said.reason()));
    }
}
