// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.time.Instant;
import java.util.Optional;

/**
 * The value on the outcomes topic: how a payment ended.
 *
 * @param operation {@code charge}, {@code refund} or {@code reversal}
 * @param psp      absent for a refund that was refused before it got to one
 * @param status   {@code succeeded}, {@code declined}, or {@code purged} once a purge can be undone no more
 * @param revision the operation's step at that moment: of two copies for one payment the higher is the newer
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
}
