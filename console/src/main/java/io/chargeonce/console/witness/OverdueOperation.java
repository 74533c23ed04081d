// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Instant;

/**
 * An operation that was accepted, and is neither settled, nor waiting, nor dead within its time.
 *
 * @param paymentId  the payment; several of its operations may be overdue
 * @param amount     in minor units
 * @param lastStage  where it was last seen: {@code requests}, {@code retry-1} …, {@code waiting}, {@code dlq}
 * @param dueBy      when the next sign of it was due
 */
public record OverdueOperation(String paymentId, String operationId, String merchant, long amount, String currency, Instant acceptedAt,
        String lastStage, Instant lastSeenAt, Instant dueBy) {}
