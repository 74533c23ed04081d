// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.CheckEvidence;
import io.chargeonce.checker.evidence.DatabaseRows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads each wait in a retry tier: it must be due no sooner than the tier's delay after it was staged. When it began is kept, for
 * the record that tells it may be lost; and when a person ended it.
 */
final class TierVisits {

    private final ShareContents contents;
    private final List<Duration> tiers;
    private final long tiersSince;

    TierVisits(ShareContents contents, CheckEvidence evidence) {
        this.contents = contents;
        this.tiers = evidence.tiers();
        this.tiersSince = DatabaseRows.micros(evidence.tiersSince());
    }

    /** A presentation is none of a tier, and has a delay of its own. */
    private static final String VISITS = "SELECT operation_id, step, tier, staged_at, due_at FROM tier_visit WHERE tier > 0";

    private static final String TRIED_AT_ONCE = """
            SELECT resource_id AS operation_id, at,
                   CASE WHEN data ->> 'step' ~ '^[0-9]{1,9}$' THEN (data ->> 'step')::int ELSE 0 END AS step
              FROM audit_record WHERE action = 'dlq.retried_now'
            """;

    void read(DatabaseRows rows) {
        rows.each(VISITS, this::visit);
        rows.each(TRIED_AT_ONCE, this::triedAtOnce);
    }

    private void triedAtOnce(ResultSet row) throws SQLException {
        CheckedPayment payment = contents.payments.get(row.getString("operation_id"));
        if (payment != null) {
            payment.triedAtOnce(row.getInt("step"), DatabaseRows.micros(row, "at"));
            // Its record stays in the tier, and another of the same step is staged for the main topic.
            contents.totals.repeated.merge(payment.id + "/" + row.getInt("step"), -1L, Long::sum);
        }
    }

    private void visit(ResultSet row) throws SQLException {
        if (!contents.share.holds(row.getString("operation_id"))) {
            return;
        }
        int step = row.getInt("step");
        long staged = DatabaseRows.micros(row, "staged_at");
        Optional.ofNullable(contents.payments.get(row.getString("operation_id"))).ifPresent(payment -> payment.beganToWait(step, staged));
        if (staged >= tiersSince) {
            compare(row, step, DatabaseRows.micros(row, "due_at") - staged);
        }
    }

    private void compare(ResultSet row, int step, long waited) throws SQLException {
        if (row.getInt("tier") > tiers.size()) {
            throw new IllegalArgumentException("%s waited in tier %d, but only %d delays are named: name those of all tiers, shortest first"
                    .formatted(row.getString("operation_id"), row.getInt("tier"), tiers.size()));
        }
        long delay = tiers.get(row.getInt("tier") - 1).toNanos() / 1_000;
        if (waited < delay) {
            contents.findings.add(Invariant.NEVER_EARLY, PaymentCount.EARLY_RETRIES, row.getString("operation_id"),
                    "was due %.3f s after it was staged for step %d, where tier %d has a delay of %.3f s".formatted(
                            waited / 1_000_000.0, step, row.getInt("tier"), delay / 1_000_000.0));
        }
    }
}
