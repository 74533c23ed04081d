// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.Headers;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the outcome events after the rows, and compares the one of the highest revision with its row. A late success may have overtaken one
 * event of a decline or a purge, a cancel that of a purge, and a failure that of a success. Repeats are dropped by the event's id.
 */
final class OutcomeTopic {

    private static final JsonMapper JSON = new JsonMapper();

    private final ShareContents contents;
    /** Statuses are few: one copy of each. */
    private final Map<String, String> words = new HashMap<>();
    /** By operation and status, an event that was true before a later one. */
    private final Map<String, Long> overtaken = new HashMap<>();

    OutcomeTopic(ShareContents contents) {
        this.contents = contents;
    }

    void record(ConsumerRecord<byte[], byte[]> record) {
        if (!contents.share.holds(Headers.key(record))) {
            return;
        }
        try {
            outcome(record, JSON.readTree(record.value() == null ? new byte[0] : record.value()));
        } catch (JacksonException | DateTimeException e) {
            contents.findings.addGeneral(Invariant.OUTCOME_AGREES, "no outcome can be read at "
                    + Place.of(record.topic(), record.partition(), record.offset()));
        }
    }

    private void outcome(ConsumerRecord<byte[], byte[]> record, JsonNode json) {
        String id = Headers.key(record);
        CheckedPayment payment = contents.payments.get(id);
        boolean known = payment != null && payment.hasRow();
        if (DatabaseRows.micros(Instant.parse(json.path("settled_at").asString(""))) > contents.rowsReadAt
                && !(known && isAsItStays(payment, json))) {
            return; // Settled while we read.
        }
        if (!known) {
            conflict(id, "has an outcome event, but no row");
            return;
        }
        String eventId = Headers.text(record, "ce_id").orElse("");
        compareContent(payment, json);
        if (isOvertaken(payment, json)) {
            Long other = overtaken.putIfAbsent(id + " " + json.path("status").asString(""), CheckedPayment.digest(eventId));
            if (other != null && other != CheckedPayment.digest(eventId)) {
                conflict(id, "has two outcome events from before its last, of which one is " + eventId);
            }
            return;
        }
        compareEnd(payment, json);
        count(payment, eventId, json);
    }

    /** A decline may have become a late success while we read, and a refund's success a failure. */
    private static boolean isAsItStays(CheckedPayment payment, JsonNode json) {
        return payment.charge && payment.state == State.SUCCEEDED
                || payment.state.isSettled() && json.path("revision").asInt(0) <= payment.step;
    }

    /**
     * By a late success of what had ended, which is on record, by a cancel of what was purged, or by the failure of what had succeeded:
     * that has a higher revision.
     */
    private static boolean isOvertaken(CheckedPayment payment, JsonNode json) {
        String status = json.path("status").asString("");
        boolean byASuccess = payment.state.hasSucceeded() && payment.succeededLate
                && (status.equals(State.DECLINED.tag()) || status.equals(State.PURGED.tag()));
        return json.path("revision").asInt(0) < payment.step
                && (byASuccess || payment.state == State.CANCELED && status.equals(State.PURGED.tag())
                        || payment.state == State.FAILED && status.equals(State.SUCCEEDED.tag()));
    }

    private void compareContent(CheckedPayment payment, JsonNode json) {
        if (json.path("amount").asLong(0) != payment.amount || !json.path("currency").asString("").equals(payment.currency)) {
            conflict(payment.id, "is about %d %s, and its outcome event about %s %s".formatted(payment.amount, payment.currency,
                    json.path("amount"), json.path("currency").asString("")));
        }
        boolean same = json.path("merchant").asString("").equals(payment.merchant)
                && json.path("payment_id").asString("").equals(payment.paymentId)
                && (!payment.charge
                        || RederivedId.ofPayment(payment.merchant, json.path("idempotency_key").asString("")).equals(payment.id));
        if (!same) {
            conflict(payment.id, "has an outcome event that differs from its row in payment, merchant or key");
        }
    }

    private void compareEnd(CheckedPayment payment, JsonNode json) {
        String status = json.path("status").asString("");
        if (!status.equals(payment.state.tag())) {
            conflict(payment.id, "is %s, and its outcome event says %s".formatted(payment.state.tag(), status));
        }
        boolean same = json.path("psp").asString("").equals(payment.psp == null ? "" : payment.psp)
                && CheckedPayment.digest(json.path("psp_reference").asString("")) == payment.pspReference
                && json.path("revision").asInt(0) == payment.step && json.path("attempts").asInt(-1) == payment.sequence;
        if (!same) {
            conflict(payment.id, "has an outcome event that differs from its row in PSP, reference, revision or attempts");
        }
    }

    private void count(CheckedPayment payment, String eventId, JsonNode json) {
        if (payment.outcome == null) {
            payment.outcomeEvent = CheckedPayment.digest(eventId);
            payment.outcome = words.computeIfAbsent(json.path("status").asString(""), same -> same);
            if (payment.outcome.equals(State.SUCCEEDED.tag()) && payment.charge) {
                contents.money(payment).announced += json.path("amount").asLong(0);
            }
        } else if (payment.outcomeEvent != CheckedPayment.digest(eventId)) {
            conflict(payment.id, "has two outcome events, of which one is " + eventId);
        }
    }

    private void conflict(String id, String sentence) {
        contents.findings.add(Invariant.OUTCOME_AGREES, PaymentCount.OUTCOME_CONFLICT, id, sentence);
    }
}
