// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.outcome;

import io.chargeonce.ledger.Attempt;
import io.chargeonce.ledger.Capture;
import io.chargeonce.ledger.HandSettlement;
import io.chargeonce.ledger.Operation;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.ledger.Staging;
import io.chargeonce.ledger.Observation;
import io.chargeonce.payment.OperationKind;
import io.chargeonce.payment.PspKey;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back automatically what an attempt captured although another one had captured too, or its payment was canceled. That is an
 * incident, and never silent.
 */
public final class Reversals {

    private static final Logger LOG = LoggerFactory.getLogger(Reversals.class);
    /** Customers' money must not stay with us because a PSP was down for a day. */
    private static final Duration DEADLINE = Duration.ofDays(30);

    private Reversals() {}

    /** Under its own key, so that it happens once however often the capture is reported; outside the sum of refunds. */
    static void reverse(Connection connection, Operation charged, Attempt twice, String reference, Instant now, UnitOfWork changes)
            throws SQLException {
        reverse(connection, charged, twice, twice.key().value(), reference, Incident.CAPTURED_TWICE, now, changes);
    }

    /** The same for a capture of a payment that is canceled. */
    static void reverseAfterCancel(Connection connection, Operation canceled, Attempt late, String reference, Instant now,
                                   UnitOfWork changes)
            throws SQLException {
        reverse(connection, canceled, late, late.key().value(), reference, Incident.CAPTURED_AFTER_CANCEL, now, changes);
    }

    /** The same for one more capture that the PSP made under a key that had captured already: one reversal per reference. */
    static void reverseUnderOneKey(Connection connection, Operation charged, Attempt attempt, String reference, Instant now,
                                   UnitOfWork changes)
            throws SQLException {
        String name = attempt.key() + "-" + UUID.nameUUIDFromBytes(reference.getBytes(StandardCharsets.UTF_8));
        reverse(connection, charged, attempt, name, reference, Incident.CAPTURED_TWICE, now, changes);
    }

    /** @param name the attempt's key, or more if the PSP captured twice under it */
    public static String idOf(String name) {
        return "attempt-" + name + "-reversal";
    }

    private static void reverse(Connection connection, Operation charged, Attempt twice, String name, String reference, Incident why,
                                Instant now, UnitOfWork changes)
            throws SQLException {
        String id = idOf(name);
        var accepted = charged.accepted();
        boolean isNew = OperationTable.insert(connection, new Operation.Accepted(id, accepted.payment(), OperationKind.REVERSAL,
                name, accepted.merchant(), id, accepted.request(), now, accepted.traceparent()), DEADLINE);
        if (isNew) {
            Operation reversal = OperationTable.find(connection, id).orElseThrow();
            reversal.giveBack(new Capture(twice.psp(), reference));
            changes.save(reversal);
            changes.stage(Staging.work(changes.topics(), reversal));
            incident(why, charged, twice, reference, changes);
        }
    }

    /** Money went back twice and cannot be recovered automatically: a person must act. */
    static void reportGivenBackTwice(Operation refund, Attempt twice, String reference, UnitOfWork changes) {
        incident(Incident.GIVEN_BACK_TWICE, refund, twice, reference, changes);
    }

    /** A declined refund frees its amount for other refunds. Now its PSP says that it was paid all the same, and that cannot be undone. */
    static void reportIfTooMuch(Connection connection, Operation refund, UnitOfWork changes) throws SQLException {
        Refunds.Backed backed = Refunds.backed(connection, refund);
        if (backed.goesBack() > backed.captured()) {
            String why = "%d go back, but %d %s were captured".formatted(backed.goesBack(), backed.captured(),
                    refund.accepted().request().money().currency());
            LOG.error(
                    "ALERT: incident.refunded_too_much: {} had been declined and was paid all the same, beside refunds that were accepted "
                            + "since: {}; see dlq why {}, and settle it with the merchant",
                    refund.id(), why, refund.accepted().payment());
            changes.incident(Incident.REFUNDED_TOO_MUCH, refund,
                    Map.of("why", why, "captured", backed.captured(), "goes_back", backed.goesBack()));
        }
    }

    /** The PSP withdraws its success: the customer does not have the money, and a person must act. */
    static void reportNotGivenBackAfterAll(Operation refund, Attempt attempt, String detail, UnitOfWork changes) {
        LOG.error(
                "ALERT: incident.refund_failed_late: {} at {} was paid, and failed after all ({}); its amount can be refunded again under "
                        + "another reference, or give the money back in another way",
                refund.id(), attempt.psp(), detail);
        changes.incident(Incident.REFUND_FAILED_LATE, refund,
                Map.of("attempt", attempt.key().value(), "psp", attempt.psp(), "why", String.valueOf(detail)));
    }

    /** The PSP reported a failure, and then a success. The refund is not sent again, and a person must ask which is true. */
    static void reportContradiction(Operation refund, Attempt attempt, UnitOfWork changes) {
        LOG.error(
                "ALERT: incident.refund_failed_late: {} reported that {} failed ({}), and then that it was paid; ask which is true before "
                        + "you give the money back in another way",
                attempt.psp(), refund.id(), attempt.message().orElse(""));
        changes.incident(Incident.REFUND_FAILED_LATE, refund, Map.of("attempt", attempt.key().value(), "psp", attempt.psp()));
    }

    /**
     * Money moved after the operation had ended in another way. It is settled as the PSP says, and its merchant may have acted on the first
     * end.
     */
    static void reportAfterTheEnd(Incident incident, Operation ended, String psp, PspKey key, String reference, UnitOfWork changes) {
        LOG.error(
                "ALERT: incident.{}: {} had ended as {}, and attempt {} at {} moved its money all the same (reference {}); it is settled "
                        + "now, inform the merchant",
                incident.tag(), ended.id(), ended.state().tag(), key, psp, reference);
        changes.incident(incident, ended, Map.of("attempt", key.value(), "psp", psp, "psp_reference", reference,
                "state", ended.state().tag()));
    }

    /** A person's finding turned out to be wrong. */
    static void reportAgainstEvidence(Operation operation, HandSettlement settled, Observation observed, UnitOfWork changes) {
        LOG.error("ALERT: incident.{}: {} settled {} as {} ({}), and the PSP says {}{}; see dlq why {}",
                Incident.SETTLED_AGAINST_EVIDENCE.tag(), settled.proposedBy(), operation.id(), settled.verdict(), settled.evidence(),
                observed.outcome(),
                observed.pspReference() == null ? "" : " as " + observed.pspReference(), operation.id());
        changes.incident(Incident.SETTLED_AGAINST_EVIDENCE, operation,
                Map.of("attempt", settled.key().value(), "verdict", settled.verdict(),
                        "run", settled.run(), "outcome", observed.outcome(), "psp_reference",
                        observed.pspReference() == null ? "" : observed.pspReference()));
    }

    private static void incident(Incident incident, Operation operation, Attempt twice, String reference, UnitOfWork changes) {
        LOG.error("ALERT: incident.{}: attempt {} of {} moved money at {} (reference {}), and {}; see the audit of {}",
                incident.tag(), twice.key(), operation.id(), twice.psp(), reference,
                incident == Incident.CAPTURED_AFTER_CANCEL ? "its payment is canceled" : "another attempt did too", operation.id());
        changes.incident(incident, operation, Map.of("attempt", twice.key().value(), "psp", twice.psp(), "psp_reference", reference));
    }
}
