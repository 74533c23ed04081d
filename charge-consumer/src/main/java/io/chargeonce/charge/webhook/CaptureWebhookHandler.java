// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.webhook;

import io.chargeonce.charge.outcome.UnitOfWork;
import io.chargeonce.charge.outcome.Incident;
import io.chargeonce.charge.outcome.Reversals;
import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.AttemptTable;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.CaptureFailures;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.DisputeTable;
import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.Money;
import io.chargeonce.payment.OperationState;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.PspKey;
import io.chargeonce.psp.Notice;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles webhooks about a capture after its payment has ended. Payments are captured at once, so the capture cannot be requested again,
 * and a second charge could collide with the PSP's own second try. A failed capture is an incident for a person, and the payment shows it.
 * That the PSP took money back without a request of ours is an incident too, and changes nothing yet. A dispute is recorded and published.
 */
record CaptureWebhookHandler(UnitOfWork changes, Operation operation) {

    private static final Logger LOG = LoggerFactory.getLogger(CaptureWebhookHandler.class);

    /** Under the operation's lock. */
    void take(Notice notice, PspKey key) throws SQLException {
        Attempt attempt = AttemptTable.lock(changes.connection(), key);
        boolean isErased = attempt.request().length == 0;
        var capture = new Capture(attempt.psp(), notice.pspReference().orElse("unnamed"));
        boolean isThePayments = isThePayments(attempt);
        switch (notice.said().orElseThrow()) {
            case Notice.CaptureFailed failed ->
                failed(capture, new Notice.CaptureFailed(failed.money(), failed.at(), words(isErased, failed.reason())), isThePayments);
            case Notice.CapturedAgain again -> {
                if (isThePayments && CaptureFailures.recaptured(changes.connection(), operation.id(), capture, again.at())) {
                    changes.audit(AuditLog.Entry.of(UnitOfWork.ACTOR, "captured-again", operation, Optional.empty(),
                            Map.of("psp", capture.psp(), "psp_reference", capture.reference())));
                }
            }
            case Notice.Disputed disputed ->
                disputed(capture, disputed.report().because(words(isErased, disputed.report().reason())), isThePayments);
            case Notice.TakenBack taken -> takenBack(capture, taken.event() + ": " + words(isErased, taken.why()));
            // A refund of ours has a key of its own, so a person made this one.
            case Notice.Ended refund -> {
                if (refund.outcome() instanceof Outcome.Charged) {
                    takenBack(capture, "a refund of %s that was not requested here".formatted(
                            refund.money().map(Money::toString).orElse("an unknown amount")));
                }
            }
        }
    }

    /** What a PSP says in its own words may identify a person: of an erased payment they are not recorded again. */
    private static String words(boolean isErased, String text) {
        return isErased ? "[erased]" : text;
    }

    private void disputed(Capture capture, Dispute.Report report, boolean isThePayments) throws SQLException {
        if (!report.isKnown()) {
            takenBack(capture, "%s of dispute %s: %s".formatted(report.event(), report.reference(), report.reason()));
        }
        Optional<Dispute> dispute =
                DisputeTable.fold(changes.connection(), capture.psp(), operation.accepted().payment().value(), report);
        if (dispute.isEmpty()) {
            return;
        }
        changes.disputed(operation, dispute.get());
        if (dispute.get().keepsRefundsOut() && isThePayments) {
            new Reversals(changes, operation).reportIfTooMuch();
        } else if (dispute.get().keepsRefundsOut()) {
            takenBack(capture, "%s of money that is given back, or was: %s".formatted(report.event(), dispute.get()));
        }
    }

    private void takenBack(Capture capture, String why) {
        LOG.error("ALERT: incident.money_taken_back: {} says about {}: {} (its reference {}). The payment stays {} here; look there, and "
                + "inform the merchant", capture.psp(), operation.id(), why, capture.reference(), operation.state().tag());
        changes.incident(Incident.MONEY_TAKEN_BACK, operation,
                Map.of("psp", capture.psp(), "psp_reference", capture.reference(), "why", why));
    }

    /** False if the payment was settled by another attempt: this one's money goes back, or is on its way. */
    private boolean isThePayments(Attempt attempt) {
        return operation.state() != OperationState.SUCCEEDED
                || operation.psp().equals(Optional.of(attempt.psp())) && operation.pspReference().equals(attempt.pspReference());
    }

    private void failed(Capture capture, Notice.CaptureFailed said, boolean isThePayments) throws SQLException {
        if (isThePayments) {
            CaptureFailures.failed(changes.connection(), operation.id(), capture, said.at(), said.reason());
        }
        LOG.error("ALERT: incident.capture_failed: {} has not received the money of {} after all ({}); the payment stays {}. "
                + "Ask the PSP about {}, and inform the merchant", capture.psp(), operation.id(), said.reason(), operation.state().tag(),
                capture.reference());
        changes.incident(Incident.CAPTURE_FAILED, operation,
                Map.of("psp", capture.psp(), "psp_reference", capture.reference(), "why", said.reason()));
    }
}
