// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.time.Instant;
import java.util.Optional;

/**
 * The value on the outcomes topic: how a payment ended.
 *
 * @param operation {@code charge}, {@code refund}, {@code reversal} or {@code return}
 * @param psp      absent for a refund that was refused before it reached one
 * @param status   {@code succeeded}, {@code failed} if that was taken back, {@code declined}, {@code canceled}, or {@code purged} once a
 *                 purge can no longer be undone
 * @param revision the operation's step at that moment: of two copies for one payment the higher one is newer
 */
public record OutcomeRecord(
        String type,
        int version,
        String paymentId,
        String operation,
        String merchant,
        String idempotencyKey,
        String status,
        long amount,
        String currency,
        Optional<String> psp,
        Optional<String> pspReference,
        Optional<String> declineCode,
        Optional<String> reference,
        int attempts,
        int revision,
        Instant settledAt) {

    public static final String TYPE = "payment.outcome";
    public static final int VERSION = 1;

    /** Such as {@code payment.succeeded} or {@code refund.declined}: the same as the webhook's that tells it. */
    public String event() {
        return (operation.equals("charge") ? "payment" : operation) + "." + status;
    }
}
