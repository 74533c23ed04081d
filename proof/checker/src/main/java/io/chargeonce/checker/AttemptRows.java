// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/** Reads the attempts in order and finds those that should not be there. */
final class AttemptRows {

    private final ShareContents contents;

    private String operation = "";
    private int lastSequence;
    private int lastGeneration;
    private boolean lastFailed;
    private long lastDecided;
    private long lastSent;

    AttemptRows(ShareContents contents) {
        this.contents = contents;
    }

    private static final String INDEX = """
            SELECT count(*) AS n FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
             WHERE relname = 'one_open_attempt' AND indisunique AND indisvalid
            """;

    private static final String ATTEMPTS = """
            SELECT attempt.operation_id, attempt.generation, attempt.sequence, attempt.state, attempt.sent_at,
                   attempt.psp_key, attempt.operation, attempt.failed_definite,
                   attempt.payment_id, attempt.operation_ref, attempt.psp,
                   attempt.decided_at, operation_state.settled_at, attempt.sent_at > operation_state.cancel_requested_at AS unwanted,
                   EXISTS (SELECT FROM psp_observation AS heard WHERE heard.psp_key = attempt.psp_key AND heard.source = 'found') AS found
              FROM payment_attempt AS attempt LEFT JOIN operation_state USING (operation_id)
             ORDER BY attempt.operation_id, attempt.sequence
            """;

    private static final String TWICE = """
            SELECT DISTINCT later.operation_id, later.sequence, later.psp
              FROM payment_attempt AS later JOIN payment_attempt AS earlier
                ON earlier.payment_id = later.payment_id AND earlier.operation_id = later.operation_id AND earlier.failed_definite
               AND earlier.psp = later.psp AND earlier.generation = later.generation AND earlier.sequence < later.sequence
             WHERE later.sequence > 1
               AND NOT EXISTS (SELECT FROM tier_visit
                                WHERE tier_visit.operation_id = later.operation_id
                                  AND staged_at >= earlier.sent_at AND staged_at <= later.sent_at)
            """;

    private static final String WITHOUT_A_TOKEN = """
            SELECT its.operation_id, attempt.sequence, attempt.psp
              FROM operation AS its JOIN payment_method AS stored ON stored.payment_method_id = its.payment_method
              JOIN payment_attempt AS attempt ON attempt.operation_id = its.operation_id
             WHERE its.kind = 'charge' AND (attempt.psp <> ALL (stored.psps) OR stored.merchant_id <> its.merchant_id)
            """;

    void read(DatabaseRows rows) {
        rows.each(INDEX, row -> {
            if (row.getLong("n") == 0 && contents.share.isFirst()) {
                contents.findings.addGeneral(Invariant.ATTEMPTS_MONOTONE, "the unique index one_open_attempt is missing");
            }
        });
        rows.each(ATTEMPTS, this::attempt);
        // At once it only ever goes on to another PSP.
        rows.each(TWICE, row -> wrong(row.getString("operation_id"), "attempt %d went to %s once more without having waited in between"
                .formatted(row.getInt("sequence"), row.getString("psp"))));
        rows.each(WITHOUT_A_TOKEN, row -> contents.findings.add(Invariant.OWN_TOKEN, row.getString("operation_id"),
                "attempt %d went to %s, of which its stored payment method has no token".formatted(row.getInt("sequence"),
                        row.getString("psp"))));
        contents.payments.values().forEach(this::total);
    }

    private void attempt(ResultSet row) throws SQLException {
        String id = row.getString("operation_id");
        if (!row.getString("operation").equals("charge")) {
            contents.givingBack.put(row.getString("psp_key"), id);
        }
        if (!contents.share.holds(id)) {
            return;
        }
        if (!id.equals(operation)) {
            operation = id;
            lastSequence = 0;
            lastGeneration = 1;
            lastFailed = true;
            lastDecided = Long.MIN_VALUE;
            lastSent = Long.MIN_VALUE;
        }
        CheckedPayment payment = contents.payments.get(id);
        if (payment == null || !payment.hasRow()) {
            wrong(id, "has an attempt, but no operation");
            return;
        }
        derive(payment, row);
        // An attempt that its PSP had and a restored database had not began in the lost time.
        if (row.getBoolean("found")) {
            payment.foundAttempts++;
        } else if (row.getBoolean("unwanted")) {
            wrong(id, "attempt %d began after it was canceled".formatted(row.getInt("sequence")));
        }
        follow(payment, row);
    }

    private void derive(CheckedPayment payment, ResultSet row) throws SQLException {
        String key = row.getString("psp_key");
        String derived = RederivedId.ofAttempt(row.getString("payment_id"), row.getString("operation"), row.getString("operation_ref"),
                row.getString("psp"), row.getInt("sequence"));
        if (!key.equals(derived)) {
            wrong(payment.id,
                    "attempt %d was sent under the key %s, which is not the one that it derives".formatted(row.getInt("sequence"), key));
        }
        if (payment.charge && row.getBoolean("failed_definite")) {
            contents.attempts.put(key, new ShareContents.AttemptOf(payment.id, row.getInt("sequence")));
        }
    }

    private void follow(CheckedPayment payment, ResultSet row) throws SQLException {
        int sequence = row.getInt("sequence");
        int generation = row.getInt("generation");
        long sent = DatabaseRows.micros(row, "sent_at");
        if (row.getBoolean("found") && sequence > lastSequence) {
            // Its PSP had it, and the restored database did not. What came before it has no row.
            payment.attempts += sequence - lastSequence - 1;
        } else if (sequence != lastSequence + 1) {
            wrong(payment.id, "attempt %d follows attempt %d".formatted(sequence, lastSequence));
        }
        if (generation < lastGeneration || generation > payment.generation) {
            wrong(payment.id, "attempt %d is of generation %d, after one of %d, in a payment of %d"
                    .formatted(sequence, generation, lastGeneration, payment.generation));
        }
        if (!lastFailed || sent < lastDecided || sent < lastSent) {
            wrong(payment.id, "attempt %d was sent before attempt %d had definitely failed".formatted(sequence, lastSequence));
        }
        var settledAt = row.getObject("settled_at", OffsetDateTime.class);
        if (settledAt != null && sent > DatabaseRows.micros(settledAt.toInstant())) {
            wrong(payment.id, "attempt %d was sent after the payment had been settled".formatted(sequence));
        }
        remember(payment, row, sequence, generation, sent);
    }

    private void remember(CheckedPayment payment, ResultSet row, int sequence, int generation, long sent) throws SQLException {
        String state = row.getString("state");
        payment.attempts++;
        // A success that came after a definite failure does not open the attempt again.
        boolean failed = row.getBoolean("failed_definite");
        payment.openAttempts += failed ? 0 : 1;
        payment.succeededAttempts += state.equals("succeeded") ? 1 : 0;
        if (payment.sequence > 1) {
            payment.sent(sent);
        }
        lastSequence = sequence;
        lastGeneration = generation;
        lastFailed = failed;
        lastSent = sent;
        boolean late = failed && state.equals("succeeded");
        payment.failedAndSucceeded |= late;
        lastDecided = late || row.getObject("decided_at") == null ? Long.MIN_VALUE : DatabaseRows.micros(row, "decided_at");
    }

    private void total(CheckedPayment payment) {
        if (payment.hasRow() && payment.attempts != payment.sequence) {
            wrong(payment.id, "its row counts %d attempts, and there are %d".formatted(payment.sequence, payment.attempts));
        }
        if (payment.openAttempts > 1) {
            wrong(payment.id, "%d of its attempts may have moved money".formatted(payment.openAttempts));
        }
    }

    private void wrong(String id, String sentence) {
        contents.findings.add(Invariant.ATTEMPTS_MONOTONE, PaymentCount.ATTEMPTS_NOT_MONOTONE, id, sentence);
    }
}
