// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.time.Instant;

/**
 * The value on the topic of waits: an operation goes on only in the database for a while, so no other topic shows it. For people and the
 * witness; the pipeline never reads it.
 *
 * @param step  the operation's step while it waits
 * @param why   {@link #UNKNOWN_OUTCOME} or {@link #PRESENTED_AGAIN}
 * @param until when it goes on: its PSP is asked, or it is presented
 */
public record WaitRecord(
        String type,
        int version,
        String paymentId,
        String operation,
        String operationId,
        int step,
        String merchant,
        long amount,
        String currency,
        String why,
        Instant until) {

    public static final String TYPE = "payment.waiting";
    public static final int VERSION = 1;
    public static final String UNKNOWN_OUTCOME = "unknown_outcome";
    public static final String PRESENTED_AGAIN = "presented_again";
}
