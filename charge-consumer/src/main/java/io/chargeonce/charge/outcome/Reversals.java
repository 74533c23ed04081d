// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.ledger.Observation;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PspKey;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back automatically what an attempt captured although another one had captured too, or its payment was canceled. That is an
 * incident, and never silent.
 */
public record Reversals(UnitOfWork changes, Operation operation) {

    private static final Logger LOG = LoggerFactory.getLogger(Reversals.class);
    /** Customers' money must not stay with us because a PSP was down for a day. */
    private static final Duration DEADLINE = Duration.ofDays(30);

    /** Under its own key, so that it happens once however often the capture is reported; outside the sum of refunds. */
    void reverse(Attempt twice, String reference) throws SQLException {
        reverse(twice, twice.key().value(), reference, Incident.CAPTURED_TWICE);
    }

    /** The same for a capture of a payment that is canceled. */
    void reverseAfterCancel(Attempt late, String reference) throws SQLException {
        reverse(late, late.key().value(), reference, Incident.CAPTURED_AFTER_CANCEL);
    }

    /** The same for one more capture that the PSP made under a key that had captured already: one reversal per reference. */
    void reverseUnderOneKey(Attempt attempt, String reference) throws SQLException {
        String name = attempt.key() + "-" + UUID.nameUUIDFromBytes(reference.getBytes(StandardCharsets.UTF_8));
        reverse(attempt, name, reference, Incident.CAPTURED_TWICE);
    }

    /** @param name the attempt's key, or more if the PSP captured twice under it */
    public static String idOf(String name) {
        return "attempt-" + name + "-reversal";
    }

    private void reverse(Attempt captured, String name, String reference, Incident why) throws SQLException {
        String id = idOf(name);
        var accepted = operation.accepted();
        boolean isNew = OperationTable.insert(changes.connection(), new Operation.Accepted(id, accepted.payment(), OperationKind.REVERSAL,
                name, accepted.merchant(), id, accepted.request(), changes.now(), accepted.traceparent()), DEADLINE);
        if (isNew) {
            Operation reversal = OperationTable.find(changes.connection(), id).orElseThrow();
            reversal.giveBack(new Capture(captured.psp(), reference));
            changes.save(reversal);
            changes.stageWork(reversal);
            incident(why, captured, reference);
        }
    }

    /** Money went back twice and cannot be recovered automatically: a person must act. */
    void reportGivenBackTwice(Attempt twice, String reference) {
        incident(Incident.GIVEN_BACK_TWICE, twice, reference);
    }

    /**
     * A refund was paid, or a dispute has taken money. A declined refund frees its amount for other refunds, and may be paid all the same.
     * A refund that is under way when a dispute begins may be paid too. None of that can be undone.
     */
    public void reportIfTooMuch() throws SQLException {
        Refunds.Backed backed = Refunds.backed(changes.connection(), operation);
        if (backed.goesBack() > backed.captured()) {
            String why = "%d go back, but %d %s were captured".formatted(backed.goesBack(), backed.captured(),
                    operation.accepted().request().money().currency());
            LOG.error(
                    "ALERT: incident.refunded_too_much: with {}, refunds and disputes give back too much: {}; see dlq why {}, and settle "
                            + "it with the merchant",
                    operation.id(), why, operation.accepted().payment());
            changes.incident(Incident.REFUNDED_TOO_MUCH, operation,
                    Map.of("why", why, "captured", backed.captured(), "goes_back", backed.goesBack()));
        }
    }

    /** The PSP withdraws its success: the customer does not have the money, and a person must act. */
    void reportNotGivenBackAfterAll(Attempt attempt, String detail) {
        LOG.error(
                "ALERT: incident.refund_failed_late: {} at {} was paid, and failed after all ({}); its amount can be refunded again under "
                        + "another reference, or give the money back in another way",
                operation.id(), attempt.psp(), detail);
        changes.incident(Incident.REFUND_FAILED_LATE, operation,
                Map.of("attempt", attempt.key().value(), "psp", attempt.psp(), "why", String.valueOf(detail)));
    }

    /** The PSP reported a failure, and then a success. The refund is not sent again, and a person must ask which is true. */
    void reportContradiction(Attempt attempt) {
        LOG.error(
                "ALERT: incident.refund_failed_late: {} reported that {} failed ({}), and then that it was paid; ask which is true before "
                        + "you give the money back in another way",
                attempt.psp(), operation.id(), attempt.message().orElse(""));
        changes.incident(Incident.REFUND_FAILED_LATE, operation, Map.of("attempt", attempt.key().value(), "psp", attempt.psp()));
    }

    /**
     * Money moved after the operation had ended in another way. It is settled as the PSP says, and its merchant may have acted on the first
     * end.
     */
    void reportAfterTheEnd(Incident incident, String psp, PspKey key, String reference) {
        LOG.error(
                "ALERT: incident.{}: {} had ended as {}, but attempt {} at {} moved its money (reference {}); it is settled now, "
                        + "inform the merchant",
                incident.tag(), operation.id(), operation.state().tag(), key, psp, reference);
        changes.incident(incident, operation, Map.of("attempt", key.value(), "psp", psp, "psp_reference", reference,
                "state", operation.state().tag()));
    }

    /** A person's finding turned out to be wrong. */
    void reportAgainstEvidence(HandSettlement settled, Observation observed) {
        LOG.error("ALERT: incident.{}: {} settled {} as {} ({}), and the PSP says {}{}; see dlq why {}",
                Incident.SETTLED_AGAINST_EVIDENCE.tag(), settled.proposedBy(), operation.id(), settled.verdict(), settled.evidence(),
                observed.outcome(),
                observed.pspReference() == null ? "" : " as " + observed.pspReference(), operation.id());
        changes.incident(Incident.SETTLED_AGAINST_EVIDENCE, operation,
                Map.of("attempt", settled.key().value(), "verdict", settled.verdict(),
                        "run", settled.run(), "outcome", observed.outcome(), "psp_reference",
                        observed.pspReference() == null ? "" : observed.pspReference()));
    }

    private void incident(Incident incident, Attempt captured, String reference) {
        LOG.error("ALERT: incident.{}: attempt {} of {} moved money at {} (reference {}), and {}; see the audit of {}",
                incident.tag(), captured.key(), operation.id(), captured.psp(), reference,
                incident == Incident.CAPTURED_AFTER_CANCEL ? "its payment is canceled" : "another attempt did too", operation.id());
        changes.incident(incident, operation, Map.of("attempt", captured.key().value(), "psp", captured.psp(), "psp_reference", reference));
    }
}
