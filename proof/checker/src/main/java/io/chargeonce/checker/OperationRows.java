// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reads each operation and its state. */
final class OperationRows {

    private final ShareContents contents;
    /** Merchants, currencies, PSPs and a test's payment methods are few: one copy of each. */
    private final Map<String, String> words = new HashMap<>();

    OperationRows(ShareContents contents) {
        this.contents = contents;
    }

    private static final Set<String> GO_BACK = Set.of("return", "reversal");

    private static final String NOW = "SELECT clock_timestamp() AS now";

    private static final String OPERATIONS = """
            SELECT operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method, state, step,
                   generation, sequence, psp, psp_reference, operation_ref, represented, settled_at,
                   resolve_at IS NOT NULL AS asked, coalesce(failure_cause = 'stopped', false) AS stopped,
                   state = 'parked' AND failure_cause = 'waits_for_payment'
                       AND EXISTS (SELECT FROM operation_state AS its
                                    WHERE its.operation_id = payment_id
                                      AND (its.state = 'dead' OR its.state = 'purged' AND its.settled_at IS NULL))
                       AS waits_for_dead, coalesce(merges, 0) AS merges,
                   EXISTS (SELECT FROM audit_seal WHERE forgotten_to IS NOT NULL) AS forgotten,
                   operation_id IN (SELECT operation_id FROM hand_settlement WHERE verdict = 'not_charged' AND state = 'settled')
                       AS said_not_charged,
                   operation_id IN (SELECT resource_id FROM audit_record
                                     WHERE action IN ('payment.cancel_requested', 'dlq.canceled') AND data ->> 'status' = 'canceling')
                       AS canceling,
                   operation_id IN (SELECT resource_id FROM audit_record
                                     WHERE action IN ('incident.succeeded_after_decline', 'incident.succeeded_after_purge'))
                       AS succeeded_late
              FROM operation_now
              LEFT JOIN (SELECT resource_id, count(*) AS merges FROM audit_record WHERE action = 'dlq.merged' GROUP BY resource_id) AS \
            audited
                ON resource_id = operation_id
            """;

    private static final String KEYS = """
            SELECT resource_id, merchant_id, idempotency_key FROM idempotency_key WHERE request_path NOT LIKE '%/refunds'
            """;

    void read(DatabaseRows rows) {
        rows.each(NOW, row -> contents.rowsReadAt = DatabaseRows.micros(row, "now"));
        rows.each(OPERATIONS, this::operation);
        rows.each(KEYS, this::key);
        contents.payments.values().forEach(payment -> {
            if (payment.charge && !payment.hasKeyRow) {
                contents.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "has an operation, but no idempotency key row");
            }
        });
    }

    private void operation(ResultSet row) throws SQLException {
        String id = row.getString("operation_id");
        if (GO_BACK.contains(row.getString("kind"))) {
            contents.returnsAndReversals.add(id);
        }
        if (row.getString("state").equals(State.FAILED.tag())) {
            contents.failedAfterSuccess.add(id);
        }
        if (!contents.share.holds(id)) {
            return;
        }
        CheckedPayment payment = contents.payment(id);
        payment.state = State.fromTag(row.getString("state"));
        payment.charge = row.getString("kind").equals("charge");
        payment.paymentId = payment.charge ? payment.id : row.getString("payment_id");
        payment.merchant = word(row.getString("merchant_id"));
        payment.currency = word(row.getString("currency"));
        payment.amount = row.getLong("amount");
        payment.paymentMethod = word(row.getString("payment_method"));
        payment.step = row.getInt("step");
        payment.generation = row.getInt("generation");
        payment.sequence = row.getInt("sequence");
        payment.psp = word(row.getString("psp"));
        payment.pspReference = CheckedPayment.digest(row.getString("psp_reference"));
        if (payment.charge && payment.state == State.SUCCEEDED) {
            contents.money(payment).succeeded += payment.amount;
        }
        payment.asked = row.getBoolean("asked");
        payment.waitsForDead = row.getBoolean("waits_for_dead");
        payment.presentedAgain = row.getInt("represented");
        payment.canceling = row.getBoolean("canceling");
        payment.stopped = row.getBoolean("stopped");
        payment.saidNotCharged = row.getBoolean("said_not_charged");
        payment.succeededLate = row.getBoolean("succeeded_late") || row.getBoolean("forgotten");
        payment.endedAt = row.getObject("settled_at") == null ? CheckedPayment.NEVER : DatabaseRows.micros(row, "settled_at");
        identify(payment, row);
        int unheard = row.getInt("generation") - 1 - row.getInt("merges");
        if (unheard < 0 || unheard > 0 && !row.getBoolean("forgotten")) {
            contents.findings.add(Invariant.DLQ_ALGEBRA, payment.id, "is of generation %d, with %d merges on record"
                    .formatted(row.getInt("generation"), row.getInt("merges")));
        }
    }

    private void identify(CheckedPayment payment, ResultSet row) throws SQLException {
        String reference = row.getString("operation_ref");
        String entity = "payment-" + payment.paymentId + "-refund" + (reference.isEmpty() ? "" : "-" + reference);
        if (row.getString("kind").equals("refund") && !payment.id.equals(entity)) {
            contents.findings.add(Invariant.REFUNDS, payment.id, "is not the refund that its entity names: " + entity);
        }
        if (payment.charge && !payment.id.equals(RederivedId.ofPayment(payment.merchant, row.getString("idempotency_key")))) {
            contents.findings.add(Invariant.IDEMPOTENT_ACCEPT, payment.id, "is not the id that its merchant and key derive");
        }
    }

    private void key(ResultSet row) throws SQLException {
        String id = row.getString("resource_id");
        if (!contents.share.holds(id)) {
            return;
        }
        CheckedPayment payment = contents.payments.get(id);
        if (payment == null || !payment.hasRow()) {
            contents.findings.add(Invariant.ACCEPTED_DURABLE, PaymentCount.LOST, id, "has an idempotency key row, but no operation");
        } else {
            payment.hasKeyRow = true;
        }
        if (!id.equals(RederivedId.ofPayment(row.getString("merchant_id"), row.getString("idempotency_key")))) {
            contents.findings.add(Invariant.IDEMPOTENT_ACCEPT, id, "is stored under a key that derives another payment");
        }
    }

    private String word(String text) {
        return text == null ? null : words.computeIfAbsent(text, same -> same);
    }
}
