// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.ledger.Operation;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.RetryTier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Payments that wait in the tiers, made as the services make them. */
public final class WaitingRows {

    private static final Duration LONG = Duration.ofHours(1);

    private final QueueRows rows;

    public WaitingRows(QueueRows rows) {
        this.rows = rows;
    }

    /** Its attempt failed, and was counted. */
    public String scheduled(int tier) {
        String id = rows.accepted(QueueRows.MERCHANT);
        attempt(id, FailureCause.PSP_UNWELL);
        change(id, (operation, now) -> operation.retryIn(new RetryTier(tier, LONG), "psp_unwell", "the PSP answered 500", now));
        return id;
    }

    /** The failure after which it waits turned out to be its PSP's fault. */
    public void pardon(String id) {
        change(id, (operation, now) -> operation.pardon());
    }

    /** No attempt was made: its PSP is not well. */
    public String parked(int tier, String... psps) {
        String id = rows.accepted(QueueRows.MERCHANT);
        park(id, tier, psps);
        return id;
    }

    public void park(String id, int tier, String... psps) {
        change(id, (operation, now) -> operation.parkIn(new RetryTier(tier, LONG), List.of(psps), "breaker_open", "no PSP is well", now));
    }

    /** The PSP could not be connected to, so nothing was counted. */
    public void refuseConnection(String id, int tier) {
        attempt(id, FailureCause.CONNECTION_REFUSED);
        change(id, (operation, now) -> operation.parkIn(new RetryTier(tier, LONG), List.of(), "connection_refused", "refused", now));
    }

    /** A soft decline that is presented again in three days. */
    public String presentedAgain() {
        String id = rows.accepted(QueueRows.MERCHANT);
        attempt(id, FailureCause.PSP_UNWELL);
        change(id, (operation, now) -> operation.presentAgain(now.plus(Duration.ofDays(3)), LONG, "insufficient_funds", "no money", now));
        return id;
    }

    /** It was declined, and its next claim looks for another attempt of it. */
    public String endsByDecline() {
        String id = rows.accepted(QueueRows.MERCHANT);
        attempt(id, FailureCause.PSP_UNWELL);
        change(id, Operation::queryBeforeDecline);
        return id;
    }

    /** That claim could not query a PSP. */
    public String endsByDeclineLater(int tier) {
        String id = endsByDecline();
        change(id, (operation, now) -> {
            operation.stagePresentation(now);
            operation.parkIn(new RetryTier(tier, LONG), List.of(), Operation.DECLINE_UNVERIFIED, "its PSP does not answer", now);
        });
        return id;
    }

    private void attempt(String id, FailureCause cause) {
        rows.claim(id);
        rows.hear(id, new Outcome.Failed(cause, "no"));
    }

    private interface Move {
        void of(Operation operation, Instant now);
    }

    private void change(String id, Move move) {
        rows.change(List.of(id), (connection, operations, now) -> move.of(operations.getFirst(), now));
    }
}
