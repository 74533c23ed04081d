// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.time.Instant;
import java.util.Optional;

/**
 * The value on the disputes topic: how a dispute stands after a change.
 *
 * @param id       the PSP's id of the dispute
 * @param amount   absent, with the currency, if the PSP names no amount of a payment
 * @param stage    {@code inquiry}, {@code opened}, {@code won} or {@code lost}
 * @param funds    {@code not_taken}, {@code taken} or {@code returned}
 * @param dueBy    until when the PSP waits for an answer; absent if it waits for none
 * @param revision of two copies for one dispute the higher one is newer
 */
public record DisputeRecord(
        String type,
        int version,
        String paymentId,
        String merchant,
        String psp,
        String id,
        Optional<Long> amount,
        Optional<String> currency,
        String reason,
        String stage,
        String funds,
        boolean isFinal,
        Optional<Instant> dueBy,
        int revision,
        Instant changedAt) {

    public static final String TYPE = "payment.dispute";
    public static final int VERSION = 1;
}
