// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import io.chargeonce.checker.evidence.Evidence;
import io.chargeonce.checker.evidence.Rows;
import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.checker.finding.PaymentCount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads each wait in a retry tier: it must be due no sooner than the tier's delay after it was staged. When it began is kept, for
 * the record that tells it may be lost.
 */
final class TierVisits {

    private final ShareContents contents;
    private final List<Duration> tiers;
    private final long tiersSince;

    TierVisits(ShareContents contents, Evidence evidence) {
        this.contents = contents;
        this.tiers = evidence.tiers();
        this.tiersSince = Rows.micros(evidence.tiersSince());
    }

    /** A presentation is none of a tier, and has a delay of its own. */
    private static final String VISITS = "SELECT operation_id, step, tier, staged_at, due_at FROM tier_visit WHERE tier > 0";

    void read(Rows rows) {
        rows.each(VISITS, this::visit);
    }

    private void visit(ResultSet row) throws SQLException {
        if (!contents.share.holds(row.getString("operation_id"))) {
            return;
        }
        int step = row.getInt("step");
        long staged = Rows.micros(row, "staged_at");
        Optional.ofNullable(contents.payments.get(row.getString("operation_id"))).ifPresent(payment -> payment.beganToWait(step, staged));
        if (staged >= tiersSince) {
            compare(row, step, Rows.micros(row, "due_at") - staged);
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
