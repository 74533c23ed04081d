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

/** Gives back by itself what an attempt captured although another one had captured too: an incident, and never silent. */
final class Reversals {

    private static final Logger LOG = LoggerFactory.getLogger(Reversals.class);
    /** Money of others must not stay with us because a PSP was away for a day. */
    private static final Duration DEADLINE = Duration.ofDays(30);

    private Reversals() {}

    /** Under a key of its own, so that it happens once however often the capture is heard of; outside the sum of refunds. */
    static void reverse(Connection connection, Operation charged, Attempt twice, String reference, Instant now, Changes changes)
            throws SQLException {
        reverse(connection, charged, twice, twice.key().value(), reference, now, changes);
    }

    /** The same of a further capture that the PSP made under a key which had captured already: one reversal for each reference. */
    static void reverseUnderOneKey(Connection connection, Operation charged, Attempt attempt, String reference, Instant now,
                                   Changes changes)
            throws SQLException {
        String name = attempt.key() + "-" + UUID.nameUUIDFromBytes(reference.getBytes(StandardCharsets.UTF_8));
        reverse(connection, charged, attempt, name, reference, now, changes);
    }

    private static void reverse(Connection connection, Operation charged, Attempt twice, String name, String reference, Instant now,
                                Changes changes)
            throws SQLException {
        String id = "attempt-" + name + "-reversal";
        var accepted = charged.accepted();
        boolean isNew = OperationTable.insert(connection, new Operation.Accepted(id, accepted.payment(), OperationKind.REVERSAL,
                name, accepted.merchant(), id, accepted.request(), now, accepted.traceparent()), DEADLINE);
        if (isNew) {
            Operation reversal = OperationTable.find(connection, id).orElseThrow();
            reversal.giveBack(new Capture(twice.psp(), reference));
            changes.save(reversal);
            changes.stage(Staging.work(changes.topics(), reversal));
            incident(Incident.CAPTURED_TWICE, charged, twice, reference, changes);
        }
    }

    /** Money went back twice, and nothing can fetch it again: a person must see to it. */
    static void reportGivenBackTwice(Operation refund, Attempt twice, String reference, Changes changes) {
        incident(Incident.GIVEN_BACK_TWICE, refund, twice, reference, changes);
    }

    /** A declined refund leaves its money to others. Then its PSP says that it has gone back all the same, and cannot be fetched again. */
    static void reportIfTooMuch(Connection connection, Operation refund, Changes changes) throws SQLException {
        Refunds.Backed backed = Refunds.backed(connection, refund);
        if (backed.goesBack() > backed.captured()) {
            String why = "%d go back of %d %s that were captured".formatted(backed.goesBack(), backed.captured(),
                    refund.accepted().request().money().currency());
            LOG.error(
                    "ALERT: incident.refunded_too_much: {} had been declined and has gone back all the same, beside refunds that were accepted since: {}; "
                            + "see dlq why {}, and settle it with the merchant",
                    refund.id(), why, refund.accepted().payment());
            changes.incident(Incident.REFUNDED_TOO_MUCH, refund,
                    Map.of("why", why, "captured", backed.captured(), "goes_back", backed.goesBack()));
        }
    }

    /** The PSP takes back what it said: the customer does not have the money, and a person must see to it. */
    static void reportNotGivenBackAfterAll(Operation refund, Attempt attempt, String detail, Changes changes) {
        LOG.error("ALERT: incident.refund_failed_late: {} at {} had gone back and has not after all ({}); give it back another way",
                refund.id(), attempt.psp(), detail);
        changes.incident(Incident.REFUND_FAILED_LATE, refund, Map.of("attempt", attempt.key().value(), "psp", attempt.psp()));
    }

    /** The PSP told that it failed, and then that it has gone back: it is not sent again, and a person must ask which is so. */
    static void reportToldBothWays(Operation refund, Attempt attempt, Changes changes) {
        LOG.error(
                "ALERT: incident.refund_failed_late: {} told that {} failed ({}), and then that it has gone back; ask which is so before you "
                        + "give it back another way",
                attempt.psp(), refund.id(), attempt.message().orElse(""));
        changes.incident(Incident.REFUND_FAILED_LATE, refund, Map.of("attempt", attempt.key().value(), "psp", attempt.psp()));
    }

    /** Money moved after the operation had come to another end; it is settled as the PSP says, and its merchant may have acted on that end. */
    static void reportAfterTheEnd(Incident incident, Operation ended, String psp, PspKey key, String reference, Changes changes) {
        LOG.error(
                "ALERT: incident.{}: {} had ended as {}, and attempt {} at {} moved its money as {} all the same; it is settled now, tell the merchant",
                incident.tag(), ended.id(), ended.state().tag(), key, psp, reference);
        changes.incident(incident, ended, Map.of("attempt", key.value(), "psp", psp, "psp_reference", reference,
                "state", ended.state().tag()));
    }

    /** What a person settled was not so. */
    static void reportAgainstEvidence(Operation operation, HandSettlement settled, Observation told, Changes changes) {
        LOG.error("ALERT: incident.{}: {} settled {} as {} ({}), and the PSP says {}{}; see dlq why {}",
                Incident.SETTLED_AGAINST_EVIDENCE.tag(), settled.proposedBy(), operation.id(), settled.verdict(), settled.evidence(),
                told.outcome(),
                told.pspReference() == null ? "" : " as " + told.pspReference(), operation.id());
        changes.incident(Incident.SETTLED_AGAINST_EVIDENCE, operation,
                Map.of("attempt", settled.key().value(), "verdict", settled.verdict(),
                        "run", settled.run(), "outcome", told.outcome(), "psp_reference",
                        told.pspReference() == null ? "" : told.pspReference()));
    }

    private static void incident(Incident incident, Operation operation, Attempt twice, String reference, Changes changes) {
        LOG.error("ALERT: incident.{}: attempt {} of {} moved money at {} as {} although another attempt did too; see the audit of {}",
                incident.tag(), twice.key(), operation.id(), twice.psp(), reference, operation.id());
        changes.incident(incident, operation, Map.of("attempt", twice.key().value(), "psp", twice.psp(), "psp_reference", reference));
    }
}
