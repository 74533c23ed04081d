// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.approval;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import io.chargeonce.payment.Money;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What one person may not do alone: above the limits that the owner has set, another person approves it first. The database judges and
 * refuses; here it is asked beforehand, so that people learn what to do next. Safe for any thread.
 */
public final class FourEyes {

    /** The kind of a proposal that is about one payment whose outcome no PSP tells, and about no run. */
    public static final String SETTLE = "settle";

    /**
     * A proposal, as it is now.
     *
     * @param kind        of its run, or {@link #SETTLE}
     * @param open        whether it can be approved; a run of another person also once more
     * @param fingerprint of the very set, computed by the database
     */
    public record Proposal(String kind, String proposedBy, Instant proposedAt, boolean open, String fingerprint) {

        public boolean isFinding() {
            return kind.equals(SETTLE);
        }
    }

    private final DeadLetterQueue queue;

    public FourEyes(DeadLetterQueue queue) {
        this.queue = queue;
    }

    private static final String MUST_BE_APPROVED = "SELECT must_be_approved(?)";

    /** Whether the run may not begin yet. */
    public boolean mustBeApproved(String run) {
        return queue.database().withConnection(connection -> Sql.one(connection, MUST_BE_APPROVED, row -> row.getBoolean(1), run));
    }

    private static final String PROPOSAL = """
            SELECT kind, proposed_by, proposed_at, open, fingerprint FROM proposal(?) WHERE kind IS NOT NULL
            """;

    public Optional<Proposal> proposal(String run) {
        return queue.database().withConnection(connection -> Sql.first(connection, PROPOSAL, row -> new Proposal(
                row.getString(1), row.getString(2), Sql.instant(row, 3), row.getBoolean(4), row.getString(5)), run));
    }

    private static final String HOLDS = "SELECT of_what, amount FROM run_holds(?, false)";

    /** How much a run would move, by the payments themselves. */
    public Sum holds(String run) {
        return queue.database().withConnection(connection -> Sql.all(connection, HOLDS, row -> row.getString(1).equals("*")
                ? Sum.ofRow(null, row.getLong(2), 0)
                : Sum.ofRow(row.getString(1), 0, row.getLong(2)), run)).stream().reduce(Sum.NOTHING, Sum::plus);
    }

    private static final String APPROVE = "SELECT approve(?, ?, ?)";

    /** What a person found out about one payment or refund, whose outcome no PSP tells. */
    public record Finding(String operationId, Money money, String verdict, String evidence) {}

    private static final String FINDING = """
            SELECT operation_id, amount, currency, verdict, evidence FROM hand_settlement JOIN operation USING (operation_id) WHERE run = ?
            """;

    /** Empty if the run is about dead letters. */
    public Optional<Finding> finding(String run) {
        return queue.database().withConnection(connection -> finding(connection, run));
    }

    /**
     * Approves exactly what was seen; a finding goes to the resolver.
     *
     * @throws io.chargeonce.database.DatabaseRefused saying why not
     */
    public void approve(AuditContext by, Proposal seen) {
        queue.change(connection -> {
            if (seen.isFinding()) {
                Settle.sendResolver(connection, finding(connection, by.run()).map(Finding::operationId).stream().toList());
            }
            Sql.call(connection, APPROVE, by.run(), seen.fingerprint(), by.claim());
            return seen;
        });
    }

    private static Optional<Finding> finding(Connection connection, String run) throws SQLException {
        return Sql.first(connection, FINDING, FourEyes::finding, run);
    }

    private static Finding finding(ResultSet row) throws SQLException {
        return new Finding(row.getString(1), new Money(row.getLong(2), row.getString(3)), row.getString(4).replace('_', ' '),
                row.getString(5));
    }

    /** @param run as which it is approved */
    public record Waiting(String run, String proposedBy, Instant proposedAt, Finding finding) {}

    /** What can still be approved: the payment has not moved since, and the proposal is of today. */
    private static final String WAITING = """
            SELECT operation_id, amount, currency, verdict, evidence, run, proposed_by, proposed_at
              FROM hand_settlement AS finding JOIN operation USING (operation_id) JOIN operation_state USING (operation_id, step)
             WHERE finding.state = 'waiting' AND approved_by IS NULL AND proposed_at > clock_timestamp() - interval '24 hours'
             ORDER BY proposed_at DESC
            """;

    /** Findings that wait for another person, the newest first. */
    public List<Waiting> waiting() {
        return queue.database().withConnection(connection -> Sql.all(connection, WAITING,
                row -> new Waiting(row.getString(6), row.getString(7), Sql.instant(row, 8), finding(row))));
    }

    private static final String AWAITS = "UPDATE dlq_run SET awaits_approval = true WHERE run_id = ?";

    /** Shows it among those that wait. */
    public void await(String run) {
        queue.change(connection -> Sql.update(connection, AWAITS, run));
    }
}
